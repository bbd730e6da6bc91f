import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { hasCode, nodeFileSystem } from "../files/file-system.ts";
import { gitWork } from "./executable.ts";
import type { Repository } from "./repository.ts";

/** For each folder, the time of the last change that is known to be synced. */
const synced = new WeakMap<Repository, Map<string, number>>();
/** Older changes have been synced by their writer or by the system. */
const FIRST_SYNC_MS = 600_000;

/** Fsyncs the folders of these objects; git syncs only the files. */
export async function syncObjects(repo: Repository, written: readonly string[]): Promise<void> {
  const objects = join(repo.commonDir, "objects");
  const folders = new Set(written.map((oid) => join(objects, oid.slice(0, 2))));
  await gitWork(repo.executable, () => Promise.all([objects, ...folders].map(syncFolder)));
}

/** Fsyncs the ref's folder and, unless `objects` is false, every objects/xx folder that changed since the last time. */
export async function syncFolders(repo: Repository, refFolder: string, { objects = true } = {}): Promise<void> {
  await gitWork(repo.executable, () => Promise.all([syncFolder(refFolder), syncFolder(dirname(refFolder)), objects && syncChanged(repo)]));
}

async function syncChanged(repo: Repository): Promise<void> {
  const objects = join(repo.commonDir, "objects");
  const now = Date.now();
  const known = synced.get(repo) ?? new Map<string, number>();
  synced.set(repo, known);
  const changed = readdirSync(objects)
    .filter((name) => name.length === 2)
    .map((name) => join(objects, name))
    .map((folder) => ({ folder, changedAt: statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .filter(({ folder, changedAt }) => changedAt >= now - FIRST_SYNC_MS && known.get(folder) !== changedAt);
  await Promise.all([objects, ...changed.map(({ folder }) => folder)].map(syncFolder));
  for (const { folder, changedAt } of changed) if (now - changedAt > slackFor(changedAt)) known.set(folder, changedAt);
}

/** Two changes within this interval may have the same mtime: longer if times are whole seconds; clock ticks are at most 10 ms. */
function slackFor(time: number): number {
  return time % 1_000 === 0 ? 2_000 : 25;
}

async function syncFolder(path: string): Promise<void> {
  try {
    await nodeFileSystem.syncDirectory(path);
  } catch (error) {
    // A repository may store refs in another format than files.
    if (!hasCode(error, "ENOENT", "ENOTDIR", "EACCES")) throw error;
  }
}
