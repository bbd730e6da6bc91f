import { readdir } from "node:fs/promises";
import { decodePath, encodePath, isModulesFile, reachesGitFolder, splitZero } from "./names.ts";
import { filesBelow, statAt } from "./files.ts";
import { GITLINK, parseRaw } from "./raw.ts";
import type { Git } from "./runner.ts";
import type { TrackedFile } from "./fast-path/worktree-cache.ts";

/** The index updates that record a worktree's files. */
export interface Listing {
  /** Files and links to read. */
  readonly update: readonly string[];
  /** Paths that are missing, or that git cannot store, such as a pipe. */
  readonly forget: readonly string[];
  /** Paths that a tree cannot contain: git folders of embedded repositories, and names like `.GIT`. */
  readonly leftOut: readonly string[];
}

const EVERY_FILE = ["ls-files", "-z", "-t", "--stage", "--others", "--exclude-standard"];
const UNTRACKED = "?".charCodeAt(0);

/** The files in the index; null if the worktree has untracked files that are not ignored, or may have files in a submodule. */
export async function trackedFiles(git: Git): Promise<TrackedFile[] | null> {
  const files: TrackedFile[] = [];
  for (const line of splitZero((await git.run(EVERY_FILE)).stdout)) {
    if (line[0] === UNTRACKED || line.toString("latin1", 2, 8) === GITLINK) return null;
    const end = line.indexOf(9);
    const [, , oid = ""] = line.toString("latin1", 0, end).split(" ");
    files.push({ path: decodePath(line.subarray(end + 1)), oid });
  }
  return files;
}

/** Whether the worktree has untracked files that are not ignored. */
export async function hasUntracked(git: Git): Promise<boolean> {
  return (await git.run(["ls-files", "-z", "--others", "--exclude-standard"])).stdout.length > 0;
}

/** All paths of a tree: files, links and submodules. */
export async function pathsOf(git: Git, tree: string): Promise<string[]> {
  const { stdout } = await git.run(["ls-tree", "-r", "-z", "--name-only", "--full-tree", "--end-of-options", tree]);
  return splitZero(stdout).map(decodePath);
}

export async function submodulesOf(git: Git, tree: string): Promise<string[]> {
  const { stdout } = await git.run(["ls-tree", "-r", "-z", "--full-tree", "--end-of-options", tree]);
  // Checked before splitting: a tree may have thousands of lines, and rarely a submodule.
  if (!stdout.includes(`${GITLINK} commit `)) return [];
  return splitZero(stdout).flatMap((line) =>
    line.toString("latin1", 0, GITLINK.length) === GITLINK ? [decodePath(line.subarray(line.indexOf(9) + 1))] : [],
  );
}

/** Whether index and tracked files match the tree, as far as git can tell from its stat cache. */
export async function isAtTree(git: Git, tree: string): Promise<boolean> {
  const compare = ["diff-index", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=all", "--end-of-options", tree];
  return (await git.run(compare)).stdout.length === 0;
}

/**
 * Runs two git processes in parallel, and never looks into a repository inside the worktree: such a repository has its
 * own configuration, which an agent may have written.
 */
export async function listWorktree(git: Git, worktree: string): Promise<Listing> {
  const [listed, differing] = await Promise.all([
    git.run(EVERY_FILE),
    git.run(["diff-files", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=all"]),
  ]);
  const leftOut: string[] = [];
  const others: string[] = [];
  const embedded: string[] = [];
  for (const line of splitZero(listed.stdout)) {
    const path = decodePath(line.subarray(line.indexOf(line[0] === UNTRACKED ? 32 : 9) + 1));
    if (line[0] === UNTRACKED) (path.endsWith("/") ? embedded : others).push(path);
    else if (line.toString("latin1", 2, 8) === GITLINK) embedded.push(...(await occupiedGitlink(worktree, path)));
  }
  const inside = await withoutIgnored(git, await below(worktree, embedded, leftOut));
  const update: string[] = [];
  const forget: string[] = [];
  const add = async (path: string) => {
    const found = await statAt(worktree, path);
    if (found?.isFile() !== true && found?.isSymbolicLink() !== true) forget.push(path);
    else if (reachesGitFolder(path) || (found.isSymbolicLink() && isModulesFile(path))) leftOut.push(path);
    else update.push(path);
  };
  for (const { path, status } of parseRaw(splitZero(differing.stdout))) {
    // Ask git, not the disk: if a link replaced a folder, a file of that name may exist behind the link.
    if (status === "D") forget.push(path);
    else await add(path);
  }
  for (const path of [...others, ...inside]) await add(path);
  return { update, forget, leftOut };
}

/** All git folders below the worktree's own, of embedded repositories or not, that no ignore rule covers. */
export async function hiddenGitFolders(git: Git, worktree: string): Promise<string[]> {
  const found: string[] = [];
  const note = (path: string) => reachesGitFolder(path) && found.push(path) > 0;
  for (const entry of await readdir(worktree, { withFileTypes: true, encoding: "buffer" })) {
    const name = decodePath(entry.name);
    if (entry.isDirectory() && name !== ".git") await filesBelow(worktree, name, note);
  }
  return withoutIgnored(git, found);
}

export function listed(paths: readonly string[]): Buffer {
  return Buffer.concat(paths.flatMap((path) => [encodePath(path), Buffer.from([0])]));
}

/** A submodule's folder counts as a submodule only if it is empty or missing; otherwise its files count. */
async function occupiedGitlink(worktree: string, path: string): Promise<string[]> {
  const found = await statAt(worktree, path);
  if (found === undefined) return [];
  if (!found.isDirectory()) return [path];
  return (await filesBelow(worktree, path)).length > 0 ? [`${path}/`] : [];
}

async function below(worktree: string, folders: readonly string[], leftOut: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    if (!folder.endsWith("/")) found.push(folder);
    else {
      const skip = (path: string) => reachesGitFolder(path) && leftOut.push(path) > 0;
      for (const path of await filesBelow(worktree, folder.slice(0, -1), skip)) found.push(path);
    }
  }
  return found;
}

/** Applies the ignore rules separately, because git lists nothing inside an embedded repository. */
export async function withoutIgnored(git: Git, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  // This command has no literal pathspecs; after "./" no name has a special meaning.
  const options = { input: listed(paths.map((path) => `./${path}`)), env: { GIT_LITERAL_PATHSPECS: "0" }, allowExit: [1] };
  const ignored = new Set(
    splitZero((await git.run(["check-ignore", "-z", "--no-index", "--stdin"], options)).stdout).map((path) => decodePath(path)),
  );
  return paths.filter((path) => !ignored.has(`./${path}`));
}
