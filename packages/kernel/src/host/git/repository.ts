import { mkdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { findGit, type GitExecutable } from "./executable.ts";
import { silenceDrivers } from "./inert-config.ts";
import { placesIn } from "../places.ts";
import { isWorkingTreeOf } from "./ownership.ts";
import { ungatedPlaces, type UngatedPlaces } from "../ungated-folder.ts";
import { realPlace } from "./real-place.ts";
import { createGit, type Git } from "./runner.ts";
import { openVault, type VaultUse } from "./vault.ts";

export interface Repository {
  /** The main working tree, also if opened from a linked worktree. */
  readonly root: string;
  readonly gitDir: string;
  readonly commonDir: string;
  /** Folders outside the repository for bytes that no gate has passed. */
  readonly ungated: UngatedPlaces;
  /** For the repository's own git directory: refs, history, the user's checkout. */
  readonly git: Git;
  readonly executable: GitExecutable;
  /** The user's home, whose git configuration sets the line endings. */
  readonly home: string;
  readonly objectFormat: "sha1" | "sha256";
  readonly config: ReadonlyMap<string, string>;
  /** For the harness's own git directory over the same objects, which makes and compares trees. */
  vault(use?: VaultUse): Promise<Git>;
}

export interface RepositoryOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A repository without a commit is refused unless this is set. */
  readonly allowUnborn?: boolean;
}

const FILE_SYSTEM_KEYS = ["core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode", "core.sharedrepository"];

export async function openRepository(startPath: string, options: RepositoryOptions = {}): Promise<Repository> {
  const executable = await findGit(options.env);
  const start = await realpath(startPath).catch(() => undefined);
  if (start === undefined || !(await stat(start)).isDirectory()) throw notARepository(startPath, "The folder does not exist");
  const places = await locate(executable, start);
  const { root, gitDir, commonDir } = places;
  const [config, head] = await Promise.all([
    readConfig(executable, root, gitDir),
    headCommit(createGit({ executable, gitDir, cwd: root })),
  ]);
  const fileSystem = Object.fromEntries(FILE_SYSTEM_KEYS.flatMap((key) => (config.has(key) ? [[key, config.get(key) ?? ""]] : [])));
  const git = createGit({ executable, gitDir, workTree: root, cwd: root, config: silenceDrivers(config.keys()) });
  let opened: ReturnType<typeof openVault> | undefined;
  if (options.allowUnborn !== true && head === null) {
    throw unsuitable(
      `The repository ${root} has no commit yet, so there is nothing to build on.`,
      "Make a first commit: `git add -A && git commit -m start`.",
    );
  }
  return {
    ...places,
    ungated: ungatedPlaces(places, await realPlace(placesIn(options.env ?? process.env).stateHome)),
    git,
    executable,
    home: (options.env ?? process.env)["HOME"] ?? "/",
    config,
    async vault(use) {
      opened ??= openVault({ executable, commonDir, objectFormat: places.objectFormat, fileSystem });
      return (await opened)(use);
    },
  };
}

export interface RepositoryDescription {
  readonly head: string | null;
  /** The full name of the checked-out branch; null if detached. */
  readonly headRef: string | null;
  readonly detached: boolean;
  readonly dirty: boolean;
  /** At most the first hundred. */
  readonly dirtyPaths: readonly string[];
  readonly hasSubmodules: boolean;
  readonly shallow: boolean;
  readonly partialClone: boolean;
  readonly branches: readonly { readonly name: string; readonly commit: string }[];
}

export async function describeRepository(repo: Repository): Promise<RepositoryDescription> {
  const [head, headRef, status, modules, shallow, refs] = await Promise.all([
    headCommit(repo.git),
    repo.git.run(["symbolic-ref", "-q", "HEAD"], { allowExit: [1] }),
    repo.git.text(["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=all"]),
    repo.git.text(["ls-files", "-z", "--", ".gitmodules"]),
    repo.git.text(["rev-parse", "--is-shallow-repository"]),
    repo.git.text(["for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads"]),
  ]);
  const dirtyPaths = status.split("\0").flatMap((line) => (line === "" ? [] : [line.slice(3)]));
  const branches = refs
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [{ name: line.slice(line.indexOf(" ") + 1), commit: line.slice(0, line.indexOf(" ")) }]));
  return {
    head,
    headRef: headRef.stdout.toString("utf8").trim() || null,
    detached: headRef.exitCode === 1,
    dirty: dirtyPaths.length > 0,
    dirtyPaths: dirtyPaths.slice(0, 100),
    hasSubmodules: modules !== "",
    shallow: shallow.trim() === "true",
    partialClone: repo.config.has("extensions.partialclone"),
    branches,
  };
}

/** Excludes the harness's folders from `git status` without changing a committed file. Returns the added patterns. */
export async function excludeLocally(repo: Repository, patterns: readonly string[]): Promise<string[]> {
  const file = join(repo.commonDir, "info", "exclude");
  const present = await readFile(file, "utf8").catch(() => "");
  const lines = new Set(present.split("\n").map((line) => line.trim()));
  const added = patterns.filter((pattern) => !lines.has(pattern));
  if (added.length === 0) return [];
  await mkdir(dirname(file), { recursive: true });
  const gap = present === "" || present.endsWith("\n") ? "" : "\n";
  await writeFile(file, `${gap}${added.join("\n")}\n`, { flag: "a" });
  return added;
}

interface Places {
  readonly root: string;
  readonly gitDir: string;
  readonly commonDir: string;
  readonly objectFormat: "sha1" | "sha256";
}

async function locate(executable: GitExecutable, start: string): Promise<Places> {
  const git = createGit({ executable, cwd: start });
  const asked = ["--is-bare-repository", "--is-inside-git-dir", "--show-object-format", "--git-dir", "--git-common-dir", "--show-toplevel"];
  const { stdout, stderr } = await git.run(["rev-parse", "--path-format=absolute", ...asked], { allowExit: [128] });
  const [bare, insideGitDir, format, gitDir, commonDir, top] = stdout.toString("utf8").split("\n");
  const objectFormat = format === "sha256" ? format : "sha1";
  if (bare === "true")
    throw unsuitable(
      `${start} is in a bare repository, which has no files to work on.`,
      "Run this in a clone with a working tree (`git clone <repository> <folder>`).",
    );
  if (insideGitDir === "true") throw notARepository(start, "This is inside git's own folder");
  if (gitDir === undefined || commonDir === undefined || top === undefined || top === "") throw notARepository(start, whyNot(stderr));
  if (!isWorkingTreeOf(top, gitDir)) {
    throw unsuitable(
      `The git directory ${gitDir} names ${top} as its working tree (core.worktree), and that folder belongs to another repository or none.`,
      "Run this in a clone of your own, or remove core.worktree from its configuration: `git config --unset core.worktree`.",
    );
  }
  if (gitDir === commonDir) return { root: top, gitDir, commonDir, objectFormat };
  // In a linked worktree, use the state of the main working tree, if there is one.
  const isMain =
    basename(commonDir) === ".git" &&
    (await createGit({ executable, cwd: commonDir, gitDir: commonDir }).text(["rev-parse", "--is-bare-repository"])).trim() === "false";
  return isMain ? { root: dirname(commonDir), gitDir: commonDir, commonDir, objectFormat } : { root: top, gitDir, commonDir, objectFormat };
}

/** The last value of each key in the repository's own configuration. Reading it runs no program. */
async function readConfig(executable: GitExecutable, root: string, gitDir: string): Promise<Map<string, string>> {
  const listing = await createGit({ executable, cwd: root, gitDir }).text(["config", "--list", "--show-scope", "-z"]);
  const fields = listing.split("\0");
  const config = new Map<string, string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope, item = ""] = [fields[at], fields[at + 1]];
    const end = item.indexOf("\n");
    // The scope "command" contains the settings of the runner itself.
    if (scope !== "command") config.set(end < 0 ? item : item.slice(0, end), end < 0 ? "true" : item.slice(end + 1));
  }
  return config;
}

async function headCommit(git: Git): Promise<string | null> {
  const { stdout, exitCode } = await git.run(["rev-parse", "-q", "--verify", "HEAD^{commit}"], { allowExit: [1, 128] });
  return exitCode === 0 ? stdout.toString("utf8").trim() : null;
}

function whyNot(stderr: string): string {
  return /not a git repository/.test(stderr) ? "This folder is not in a git repository" : `git says: ${stderr.trim()}`;
}

function notARepository(path: string, why: string): SlipwayError {
  return new SlipwayError("not_a_repository", `${why}: ${path}`, {
    file: path,
    suggested_next_actions: ["Change to a folder inside a git repository, or create one with `git init` and a first commit."],
  });
}

function unsuitable(message: string, action: string): SlipwayError {
  return new SlipwayError("repository_unsuitable", message, { suggested_next_actions: [action] });
}
