import { createHash } from "node:crypto";
import { chmodSync, existsSync, linkSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { constants, deflateSync } from "node:zlib";
import { hasCode, nodeFileSystem } from "../../files/file-system.ts";
import { translateFileError } from "../../files/write-atomic.ts";
import { gitWork } from "../executable.ts";
import { scratchName } from "../worktree-record.ts";
import type { Repository } from "../repository.ts";

/** An object as git hashes it: a header and the content. */
export interface NewObject {
  readonly oid: string;
  readonly data: Buffer;
}

export function newObject(type: "tree" | "commit", bytes: Uint8Array, algorithm: string): NewObject {
  const data = Buffer.concat([Buffer.from(`${type} ${bytes.byteLength}\0`), bytes]);
  return { oid: createHash(algorithm).update(data).digest("hex"), data };
}

/**
 * Writes loose objects. `git mktree` would do it, but ignores `core.fsync`: after a power cut its trees
 * may be empty files. The directory entries are synced only after `syncFolders`.
 */
export async function writeObjects(repo: Repository, objects: readonly NewObject[]): Promise<void> {
  const root = join(repo.commonDir, "objects");
  await gitWork(repo.executable, () => Promise.all(objects.map((object) => writeObject(root, object))));
}

async function writeObject(root: string, { oid, data }: NewObject): Promise<void> {
  const folder = join(root, oid.slice(0, 2));
  const path = join(folder, oid.slice(2));
  if (existsSync(path)) return;
  ensureFolder(root, folder);
  // git's own name for unfinished objects, so that git's clean-up removes leftovers of a crash.
  const temporary = join(folder, `tmp_obj_${scratchName()}`);
  try {
    const file = await nodeFileSystem.create(temporary, 0o444);
    try {
      await file.write(deflateSync(data, { level: constants.Z_BEST_SPEED }));
      await file.sync();
    } finally {
      await file.close();
    }
    linkUnlessThere(temporary, path);
  } catch (error) {
    throw translateFileError(error, path);
  } finally {
    await nodeFileSystem.unlink(temporary).catch(() => undefined);
  }
}

/** Creates the folder with the mode of its parent, so that a shared repository stays shared. */
function ensureFolder(root: string, folder: string): void {
  if (existsSync(folder)) return;
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, statSync(root).mode & 0o7777);
}

function linkUnlessThere(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}
