import type { Stats } from "node:fs";
import { join } from "node:path";
import { blobIdAt } from "./files.ts";
import { decodePath, encodePath, splitZero } from "./names.ts";
import { silenceDrivers } from "./inert-config.ts";
import { ABSENT, EXECUTABLE, GITLINK, SYMLINK, type RawEntry } from "./raw.ts";
import type { Repository } from "./repository.ts";
import { createGit, type Git } from "./runner.ts";

/** A working tree of the user. */
export interface Checkout {
  readonly root: string;
  readonly gitDir: string;
}

/**
 * Uses the user's own git directory and index, so line endings, sparse checkout and file modes follow the user's settings.
 * It runs no filter programs: a file that needs one (Git LFS) is written as stored.
 */
export async function checkoutGit(repo: Repository, { root, gitDir }: Checkout, indexFile?: string): Promise<Git> {
  const config = { ...silenceDrivers(repo.config.keys()), ...(await lineEndings(repo)), "core.fsync": "all" };
  return createGit({
    executable: repo.executable,
    gitDir,
    workTree: root,
    cwd: root,
    config,
    ...(indexFile === undefined ? {} : { indexFile }),
  });
}

/** The line-ending settings of the user's configuration, of all levels. */
async function lineEndings(repo: Repository): Promise<Record<string, string>> {
  const git = createGit({
    executable: repo.executable,
    gitDir: repo.gitDir,
    cwd: repo.root,
    env: { GIT_CONFIG_NOSYSTEM: "0", GIT_CONFIG_GLOBAL: join(repo.home, ".gitconfig") },
  });
  const { stdout } = await git.run(["config", "--show-scope", "-z", "--get-regexp", "^core\\.(autocrlf|eol)$"], { allowExit: [1] });
  const found: Record<string, string> = {};
  const fields = stdout.toString("utf8").split("\0");
  for (let position = 0; position + 1 < fields.length; position += 2) {
    const [key = "", value = ""] = (fields[position + 1] ?? "").split("\n");
    if (fields[position] !== "command") found[key] = value;
  }
  return found;
}

export interface CheckoutEntry {
  readonly mode: string;
  readonly oid: string;
  /** Excluded by a sparse checkout. */
  readonly skipped: boolean;
}

export async function indexEntries(git: Git): Promise<Map<string, CheckoutEntry>> {
  const { stdout } = await git.run(["ls-files", "-z", "-t", "--stage"]);
  const entries = new Map<string, CheckoutEntry>();
  for (const line of splitZero(stdout)) {
    const tab = line.indexOf(9);
    const [tag = "", mode = "", oid = "", stage = ""] = line.toString("latin1", 0, tab).split(" ");
    entries.set(decodePath(line.subarray(tab + 1)), { mode: stage === "0" ? mode : "unmerged", oid, skipped: tag === "S" });
  }
  return entries;
}

/** Whether the content at a path is that of the old tree, of the new tree, or of neither (the user's). */
export async function blobAtSide(
  repo: Repository,
  git: Git,
  checkout: Checkout,
  entry: RawEntry,
  found: Stats | undefined,
): Promise<"old" | "new" | "neither"> {
  const { path, oldMode, oldOid, newMode, newOid } = entry;
  if (found === undefined)
    return oldMode === ABSENT || oldMode === GITLINK ? "old" : newMode === ABSENT || newMode === GITLINK ? "new" : "neither";
  // `obstacles` checks the contents of a folder.
  if (found.isDirectory()) return oldMode === ABSENT || oldMode === GITLINK ? "old" : newMode === GITLINK ? "new" : "neither";
  const fits = (mode: string) => hasMode(repo, mode, found);
  if (!fits(oldMode) && !fits(newMode)) return "neither";
  const oids = [await blobIdAt(checkout.root, path, found, repo.objectFormat)];
  const matches = (): "old" | "new" | null =>
    fits(newMode) && oids.includes(newOid) ? "new" : fits(oldMode) && oids.includes(oldOid) ? "old" : null;
  const exact = matches();
  if (exact !== null || !found.isFile()) return exact ?? "neither";
  oids.push(await storedId(git, path));
  return matches() ?? "neither";
}

function hasMode(repo: Repository, mode: string, found: Stats): boolean {
  if (mode === SYMLINK) return found.isSymbolicLink() || (repo.config.get("core.symlinks") === "false" && found.isFile());
  if (mode === ABSENT || mode === GITLINK || !found.isFile()) return false;
  return repo.config.get("core.filemode") === "false" || (mode === EXECUTABLE) === ((found.mode & 0o100) !== 0);
}

/** The object id of a file after the line-ending conversion of its checkout. */
async function storedId(git: Git, path: string): Promise<string | undefined> {
  // hash-object reads one path per line, so a name must not contain a line end.
  if (/["\n]/.test(path)) return undefined;
  return (await git.text(["hash-object", "--stdin-paths"], { input: Buffer.concat([encodePath(path), Buffer.from("\n")]) })).trim();
}

export function fingerprint(found: Stats | undefined): string {
  return found === undefined ? "absent" : `${found.dev}:${found.ino}:${found.mode}:${found.size}:${found.mtimeMs}:${found.ctimeMs}`;
}
