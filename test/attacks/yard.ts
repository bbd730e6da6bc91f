import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openApprovalKey } from "@slipway/kernel/change/land/approvals/key";
import { GATES, POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { trustNow } from "@slipway/kernel/config/trust/testing/trust-anything";
import { excludeLocally, openRepository } from "@slipway/kernel/host/git/repository";
import { layoutAt } from "@slipway/kernel/host/layout";
import { giveTo } from "./ordinary-user.ts";

/** A home folder with a repository whose user has uncommitted work, and with files that are out of bounds. */
export interface Yard {
  readonly home: string;
  readonly root: string;
  /** A folder beside the repository, as a target of attacks. */
  readonly outside: string;
  readonly env: Readonly<Record<string, string>>;
  /** The user who owns it and runs Slipway in it; by default the one who runs the tests. */
  readonly user: number | undefined;
  git(...args: readonly string[]): string;
  /** A path in the repository; absolute paths are unchanged. */
  read(path: string): string;
  write(path: string, text: string | Uint8Array, mode?: number): void;
  worktree(feature: string, ...path: readonly string[]): string;
  sql(statement: string): Record<string, unknown>[];
  /** Saves the current state. The returned function restores it at the same path. */
  keep(): () => void;
  remove(): void;
}

export interface YardOptions {
  /** Committed; replaces or adds files. */
  readonly files?: Readonly<Record<string, string>>;
  /** Symbolic links, committed too. */
  readonly links?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** The parent folder of the home. */
  readonly place?: string;
  /** Only for root. */
  readonly user?: number | undefined;
  /** False for a repository whose configuration nobody has trusted. */
  readonly trusted?: boolean;
}

const FILES: Readonly<Record<string, string>> = {
  "check.sh": "if grep -rn BUG src; then exit 1; fi\n",
  "README.md": "# Demo\n\nA small project.\n",
  "src/a.txt": "one\n",
  "src/b.txt": "one\n",
  "src/a.test.txt": "expects one\n",
  "letters.spec.md": "# Letters\n\nThe first letter file says two.\n",
  "slipway/gates.yaml": GATES,
  "slipway/policy.yaml": POLICY,
  "slipway/agents.yaml": "version: 1\nroles: {}\nruntime:\n  default_provider: replay\n",
};

/** Only the rules of the patch itself are left: no plan is enforced and no area is protected. */
export const OPEN_POLICY = POLICY.replace(
  "enforce_plan: true, enforce_allowed_areas: true",
  "enforce_plan: false, enforce_allowed_areas: false",
)
  .replace("protected_areas: [slipway]", "protected_areas: []")
  .replace("allowed_strategies: [merge_commit, squash, rebase]", "allowed_strategies: [squash]");

/** Inspection must not trigger what an attack has planted: only Slipway may start programs. */
const INERT = [
  "user.name=kim",
  "user.email=kim@localhost",
  "commit.gpgSign=false",
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  ...["clean", "smudge", "process"].map((kind) => `filter.evil.${kind}=`),
  "filter.evil.required=false",
  // The yard may belong to another user.
  "safe.directory=*",
];

export async function makeYard({
  files = {},
  links = {},
  env = {},
  place = tmpdir(),
  user,
  trusted = true,
}: YardOptions = {}): Promise<Yard> {
  const home = realpathSync(mkdtempSync(join(place, "slipway-attack-")));
  const root = join(home, "repository");
  const git = (...args: readonly string[]) =>
    execFileSync("git", [...INERT.flatMap((setting) => ["-c", setting]), ...args], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env["PATH"], HOME: "/", GIT_CONFIG_NOSYSTEM: "1", GIT_OPTIONAL_LOCKS: "0" },
    });
  const yard: Yard = {
    home,
    root,
    outside: join(home, "outside"),
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      XDG_CONFIG_HOME: join(home, "config"),
      XDG_STATE_HOME: join(home, "state"),
      TMPDIR: join(home, "tmp"),
      USER: "kim",
      NODE_COMPILE_CACHE: join(user === undefined ? tmpdir() : home, "slipway-attack-cache"),
      ...env,
    },
    git,
    read: (path) => readFileSync(placeOf(root, path), "utf8"),
    user,
    write: (path, text, mode) => {
      put(placeOf(root, path), text, mode);
      if (user !== undefined) giveTo(user, home);
    },
    worktree: (feature, ...path) => join(root, ".worktrees", feature, ...path),
    sql: (statement) => query(layoutAt(root).database, statement),
    keep: () => {
      execFileSync("cp", ["-a", home, `${home}.kept`]);
      return () => {
        rmSync(home, { recursive: true, force: true });
        execFileSync("cp", ["-a", `${home}.kept`, home]);
      };
    },
    remove: () => [home, `${home}.kept`].forEach((folder) => rmSync(folder, { recursive: true, force: true })),
  };
  for (const folder of ["config", "state", "tmp"]) mkdirSync(join(home, folder), { mode: 0o700 });
  for (const [path, text] of Object.entries({ ...FILES, ...files })) yard.write(path, text);
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path));
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=files");
  leaveThingsAround(yard);
  // The two changes that Slipway makes outside its own folders, made in advance, so that any other change is seen.
  await openApprovalKey({ configHome: join(home, "config"), repositoryRoot: root });
  await excludeLocally(await openRepository(root), [".slipway/", ".worktrees/"]);
  // An invalid configuration is refused for itself.
  if (trusted) await trustNow(root, yard.env).catch(() => undefined);
  if (user !== undefined) giveTo(user, home);
  return yard;
}

/** Targets of an attack, and uncommitted work of the user. */
function leaveThingsAround({ home, write, git }: Yard): void {
  write(join(home, "outside", "canary.txt"), "untouched\n");
  write(join(home, ".ssh", "id_ed25519"), "PRIVATE-KEY-CANARY\n", 0o600);
  write(join(home, ".npmrc"), "//registry/:_authToken=NPM-CANARY\n");
  write("src/b.txt", "one, and a word of mine\n");
  write("staged.txt", "staged\n");
  git("add", "staged.txt");
  write("staged.txt", "staged, then changed\n");
  write("notes.txt", "untracked\n");
}

function placeOf(root: string, path: string): string {
  return path.startsWith("/") ? path : join(root, path);
}

function put(path: string, text: string | Uint8Array, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
}

function query(database: string, statement: string): Record<string, unknown>[] {
  const connection = new DatabaseSync(database, { timeout: 5000 });
  try {
    return connection.prepare(statement).all();
  } finally {
    connection.close();
  }
}
