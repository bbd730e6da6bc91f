import { SlipwayError } from "@slipway/agents/errors";
import type { LanguageId } from "@slipway/languages/adapter";
import { runnerOf } from "@slipway/languages/typescript/test-runners";

/** A committed file of the repository; null if there is none. */
type ReadFile = (path: string) => Promise<string | null>;

/**
 * Refuses a repository whose manifest does not list what generated tests import, before a model is called. A run does not add it itself:
 * gates have no network and use the packages of the checkout, and a manifest that its lock file does not match fails `npm ci`. Only the
 * repository's own package manager changes both. A repository without a manifest gets one with the program.
 */
export async function assertTestLibraries(language: LanguageId, read: ReadFile): Promise<void> {
  if (language === "typescript") await assertPackages(read);
  const listed = LISTED[language];
  if (listed === undefined) return;
  const texts = (await Promise.all(listed.manifests.map(read))).filter((text) => text !== null);
  const missing = listed.libraries.filter((name) => !texts.some((text) => names(text, name)));
  if (texts.length === 0 || missing.length === 0) return;
  throw notListed(listed.manifests[0] ?? "", missing, [listed.install(missing)]);
}

interface Listed {
  readonly libraries: readonly string[];
  /** The first is the usual one. */
  readonly manifests: readonly string[];
  readonly install: (missing: readonly string[]) => string;
}

const LISTED: Partial<Record<LanguageId, Listed>> = {
  python: {
    libraries: ["hypothesis", "pytest"],
    manifests:
      "pyproject.toml setup.py setup.cfg Pipfile tox.ini environment.yml requirements.txt requirements-dev.txt requirements-test.txt dev-requirements.txt test-requirements.txt requirements/dev.txt requirements/test.txt".split(
        " ",
      ),
    install: (missing) =>
      `Add ${missing.map((name) => `"${name}"`).join(", ")} to dev of [dependency-groups] in pyproject.toml (or to requirements-dev.txt), install it, and commit.`,
  },
  rust: {
    libraries: ["proptest"],
    manifests: ["Cargo.toml"],
    install: () => "Run `cargo add --dev proptest`, and commit Cargo.toml and Cargo.lock.",
  },
};

/** Whether a line that is no comment names the library. */
function names(text: string, library: string): boolean {
  return new RegExp(`^(?!\\s*#).*(?<![\\w.-])${RegExp.escape(library)}(?![\\w-])`, "m").test(text);
}

const SECTIONS = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
const RUNNER_PACKAGES = { node: [], vitest: ["vitest"], jest: ["jest", "@jest/globals"] } as const;
const INSTALL: readonly (readonly [lock: string, command: string])[] = [
  ["pnpm-lock.yaml", "pnpm add --save-dev"],
  ["yarn.lock", "yarn add --dev"],
  ["bun.lock", "bun add --dev"],
];
/** Generated tests use the API of this major version. */
const FAST_CHECK = 4;

async function assertPackages(read: ReadFile): Promise<void> {
  const text = await read("package.json");
  if (text === null) return;
  const versions = versionsIn(text);
  const runners: readonly string[] = RUNNER_PACKAGES[runnerOf({ "package.json": text })];
  const lacksRunner = runners.length > 0 && !runners.some((name) => versions.has(name));
  const major = Number(/^[\s~^>=v]*(\d+)/.exec(versions.get("fast-check") ?? "")?.[1] ?? FAST_CHECK);
  const missing = [
    ...(versions.has("fast-check") && major >= FAST_CHECK ? [] : [`fast-check@${FAST_CHECK}`]),
    ...(lacksRunner ? runners.slice(0, 1) : []),
  ];
  if (missing.length === 0) return;
  const locks = await Promise.all(INSTALL.map(async ([lock, command]) => ((await read(lock)) === null ? [] : [command])));
  throw notListed("package.json", missing, [
    `Run \`${locks.flat()[0] ?? "npm install --save-dev"} ${missing.join(" ")}\`, and commit package.json and the lock file.`,
    ...(lacksRunner ? ['Or let the script "test" in package.json run `node --test`: then no other test runner is needed.'] : []),
  ]);
}

function versionsIn(text: string): Map<string, string> {
  let manifest: Readonly<Record<string, unknown>>;
  try {
    manifest = JSON.parse(text.replace(/^\uFEFF/, "")) as typeof manifest;
  } catch (error) {
    throw new SlipwayError("config_invalid", `package.json is not JSON: ${error instanceof Error ? error.message : String(error)}`, {
      file: "package.json",
      suggested_next_actions: ["Correct it, and commit it."],
    });
  }
  return new Map(SECTIONS.flatMap((section) => Object.entries((manifest[section] ?? {}) as Readonly<Record<string, string>>)));
}

function notListed(file: string, missing: readonly string[], suggested_next_actions: readonly string[]): SlipwayError {
  const message = `The repository does not list ${missing.join(" and ")}, which generated tests import.`;
  return new SlipwayError("config_invalid", message, { file, missing, suggested_next_actions });
}
