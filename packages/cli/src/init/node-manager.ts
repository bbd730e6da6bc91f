import { has, type InitTarget } from "./target.ts";

export interface PackageManager {
  readonly name: "npm" | "pnpm" | "yarn" | "bun";
  readonly because: string;
  readonly install: string;
  readonly run: (script: string) => string[];
  readonly env: Readonly<Record<string, string>>;
  readonly home: readonly string[];
}

type Name = PackageManager["name"];

const LOCKS: readonly (readonly [file: string, Name])[] = [
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
];

const INSTALL: Record<Name, string> = {
  npm: "npm ci",
  pnpm: "pnpm install --frozen-lockfile",
  yarn: "yarn install",
  bun: "bun install --frozen-lockfile",
};

/** The nearest lock file decides; with several, the field `packageManager`. */
export function packageManagerOf(place: InitTarget, field: string | undefined): PackageManager {
  const wanted = field?.split("@")[0];
  const locks = nearestLocks(place);
  const named = locks.find(([, name]) => name === wanted) ?? locks[0];
  const corepack = field !== undefined && place.machine.home(COREPACK);
  if (named !== undefined) return manager(named[1], `there is a ${named[0]}`, corepack);
  if (isName(wanted)) return manager(wanted, "the field packageManager names it", corepack);
  return manager("npm", "there is no lock file of another package manager", false);
}

function nearestLocks(place: InitTarget): readonly (readonly [string, Name])[] {
  const here = LOCKS.filter(([file]) => has(place, file));
  return here.length > 0 ? here : LOCKS.filter(([file]) => has({ ...place, folder: "" }, file));
}

function isName(word: string | undefined): word is Name {
  return word !== undefined && Object.hasOwn(INSTALL, word);
}

/** Corepack's cache of the package manager, which an empty HOME would download again. */
const COREPACK = ".cache/node/corepack";

function manager(name: Name, because: string, kept: boolean): PackageManager {
  const corepack = kept && (name === "pnpm" || name === "yarn");
  return {
    name,
    because,
    install: INSTALL[name],
    run: (script) => (name === "npm" && script === "test" ? ["npm", "test"] : [name, "run", script]),
    env: corepack ? { COREPACK_HOME: `~/${COREPACK}`, COREPACK_ENABLE_NETWORK: "0" } : {},
    home: corepack ? [COREPACK] : [],
  };
}
