import { readdirSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Repository } from "./repository.ts";

const synced = new WeakMap<Repository, number>();
const FIRST_SYNC_MS = 600_000;
const CLOCK_SLACK_MS = 2_000;

/** git syncs files but not the folders their names are in: objects/xx that changed since the last time, and the ref's folder. */
export async function syncFolders(repo: Repository, refFolder: string): Promise<void> {
  const objects = join(repo.commonDir, "objects");
  const now = Date.now();
  const since = (synced.get(repo) ?? now - FIRST_SYNC_MS) - CLOCK_SLACK_MS;
  const fanOut = readdirSync(objects).filter((name) => name.length === 2);
  const changed = fanOut.map((name) => join(objects, name)).filter((folder) => (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= since);
  await Promise.all([refFolder, dirname(refFolder), objects, ...changed].map(syncFolder));
  synced.set(repo, now);
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r").catch(() => undefined);
  // A repository may keep its refs in another form than files.
  if (handle === undefined) return;
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
