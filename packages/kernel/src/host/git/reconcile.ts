import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { removeTree, removeWithin } from "../files/remove-tree.ts";
import { dropDraft } from "./unfinished-worktree.ts";
import { settleLandings } from "./landing-intent.ts";
import { clearStaleLock } from "./locks.ts";
import { isLeftOver, leaveScratch, readRecord, recordFolder, type WorktreeRecord } from "./worktree-record.ts";
import { isFolder, listRegistrations, unregister } from "./registration.ts";
import type { Repository } from "./repository.ts";

export interface ReconcileOptions {
  /** Folders with worktrees, in addition to the two usual ones and the recorded ones. */
  readonly worktreeRoots?: readonly string[];
}

/**
 * Cleans up after a kill inside git: completes, reverts or removes what dead processes of the harness left.
 * Removes stale locks (on evidence), registrations and unfinished files; never bytes that no ref reaches.
 * Returns what was done, one line each.
 */
export async function reconcile(repo: Repository, options: ReconcileOptions = {}): Promise<string[]> {
  const done = await settleLandings(repo);
  const records = await allRecords(repo);
  for (const lock of await ownLocks(repo, records)) {
    const state = await clearStaleLock(repo, lock);
    if (state !== "absent")
      done.push(state === "cleared" ? `removed the stale lock ${lock}` : `left the lock ${lock}: a git process may still hold it`);
  }
  const roots = new Set([
    repo.ungated.worktrees,
    join(repo.root, ".worktrees"),
    ...records.map(({ path }) => dirname(path)),
    ...(options.worktreeRoots ?? []),
  ]);
  for (const root of roots) done.push(...(await tidyScratch(repo, join(root, ".slipway-tmp"))));
  for (const { id, path } of await listRegistrations(repo)) {
    if (!records.some((record) => record.path === path) || (await isFolder(path))) continue;
    await unregister(repo, id);
    done.push(`removed the deleted worktree ${path} from git's list`);
  }
  const temporary = join(repo.commonDir, "slipway", "tmp");
  for (const name of await namesIn(temporary)) {
    if (!isLeftOver(name)) continue;
    await removeTree(join(temporary, name));
    done.push(`removed the unfinished index ${name}`);
  }
  return done;
}

async function allRecords(repo: Repository): Promise<WorktreeRecord[]> {
  const found = await Promise.all((await namesIn(recordFolder(repo))).map((key) => readRecord(repo, key)));
  return found.filter((record) => record !== undefined);
}

/** Lock files that only the harness can have made: of its indexes, anchors, feature branches and worktrees. */
async function ownLocks(repo: Repository, records: readonly WorktreeRecord[]): Promise<string[]> {
  const ids = (await listRegistrations(repo)).filter(({ path }) => records.some((record) => record.path === path)).map(({ id }) => id);
  const folders = [
    join(repo.commonDir, "slipway"),
    join(repo.commonDir, "refs", "slipway"),
    join(repo.root, ".slipway", "features"),
    ...ids.map((id) => join(repo.commonDir, "worktrees", id)),
  ];
  const below = await Promise.all(
    folders.map((folder) =>
      readdir(folder, { recursive: true, withFileTypes: true }).then(
        (entries) => entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)),
        () => [],
      ),
    ),
  );
  const branches = records.map(({ branch }) => join(repo.commonDir, "refs", "heads", `${branch}.lock`));
  return [...below.flat().filter((path) => path.endsWith(".lock") && !basename(path).startsWith("tmp_")), ...branches];
}

/** What is left then stays for the next time. */
const TRASH_MS = 60_000;

async function tidyScratch(repo: Repository, scratch: string): Promise<string[]> {
  const done: string[] = [];
  for (const kind of ["new", "stage", "trash"]) {
    for (const name of (await namesIn(join(scratch, kind))).filter(isLeftOver)) {
      const folder = join(scratch, kind, name);
      if (kind === "new") await dropDraft(repo, folder);
      // Untrusted code has filled it.
      else if (kind !== "trash" || (await removeWithin(folder, TRASH_MS))) await leaveScratch({ scratch }, folder);
      else continue;
      done.push(`removed ${folder}, left by a dead process`);
    }
  }
  return done;
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
