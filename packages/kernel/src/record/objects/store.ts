import { join } from "node:path";
import { sha256 } from "@slipway/durable/canonical";
import type { Blobs } from "@slipway/durable/environment";
import { SlipwayError } from "../../schema/errors.ts";
import { hasCode, type FileSystem } from "../../host/files/file-system.ts";
import { ensureDirectory, namesIn, sweepTemporaries, translateFileError, writeFileAtomic } from "../../host/files/write-atomic.ts";

export interface Objects extends Blobs {
  /** Where the bytes are, for people and for other programs to read. */
  pathOf(digest: string): string;
  /**
   * Turns a finished file on the same disk into an object without reading it. The writer has computed the digest and fsyncs the bytes; the
   * returned function fsyncs the name.
   */
  adopt(file: string, digest: string): Promise<() => Promise<void>>;
  /** Removes files of interrupted writers. Returns how many. */
  sweep(now: number, staleAfterMs?: number): Promise<number>;
}

/** How many objects are remembered as durable. */
const MOST_KNOWN = 10_000;

/** Bytes by their SHA-256 under `root/ab/cdef…`. Bytes that `put` acknowledged survive a power cut; `get` verifies the digest. */
export function objectStore(fs: FileSystem, root: string): Objects {
  const durableFolders = new Set<string>();
  const durableObjects = new Set<string>();
  const folderOf = (digest: string) => join(root, checked(digest).slice(0, 2));
  const pathOf = (digest: string) => join(folderOf(digest), digest.slice(2));

  /** Syncs the root once per process and folder. */
  async function durableFolder(folder: string): Promise<void> {
    if (durableFolders.has(folder)) return;
    await syncFolder(fs, root);
    durableFolders.add(folder);
  }

  /** Whether this call created the folder, so that it is empty. */
  async function made(folder: string): Promise<boolean> {
    if (durableFolders.has(folder)) return false;
    try {
      await fs.mkdir(folder, 0o700);
      return true;
    } catch (error) {
      if (hasCode(error, "EEXIST")) return false;
      if (!hasCode(error, "ENOENT")) throw translateFileError(error, folder);
      await ensureDirectory(fs, folder, 0o700);
      return true;
    }
  }

  return {
    pathOf,
    async put(bytes) {
      const digest = sha256(bytes);
      const folder = folderOf(digest);
      const path = pathOf(digest);
      const isNew = await made(folder);
      const wasThere = !isNew && (await isThere(fs, path, digest));
      if (!wasThere) await writeFileAtomic(fs, path, bytes, { mode: 0o600, durable: false, whole: false });
      else if (durableObjects.has(digest)) return digest;
      // In parallel: all three must be durable before `put` returns, also for an object that another process wrote. An unacknowledged
      // object may be empty after a power cut; it is written again.
      await Promise.all([durableFolder(folder), syncFolder(fs, folder), synced(fs, path)]);
      if (durableObjects.size >= MOST_KNOWN) durableObjects.clear();
      durableObjects.add(digest);
      return digest;
    },
    async get(digest) {
      const path = pathOf(digest);
      const bytes = await readIfThere(fs, path);
      if (bytes === undefined) throw missing(digest, path);
      if (sha256(bytes) !== digest) throw corrupt(digest, path);
      return bytes;
    },
    async adopt(file, digest) {
      const folder = folderOf(digest);
      await made(folder);
      try {
        await fs.rename(file, pathOf(digest));
      } catch (error) {
        throw translateFileError(error, file);
      }
      return () => Promise.all([durableFolder(folder), syncFolder(fs, folder)]).then(() => undefined);
    },
    async sweep(now, staleAfterMs) {
      let removed = 0;
      for (const name of await namesIn(fs, root)) removed += await sweepTemporaries(fs, join(root, name), now, staleAfterMs);
      return removed;
    },
  };
}

/** A damaged object counts as missing: writing its bytes again repairs it. */
async function isThere(fs: FileSystem, path: string, digest: string): Promise<boolean> {
  const bytes = await readIfThere(fs, path);
  return bytes !== undefined && sha256(bytes) === digest;
}

async function synced(fs: FileSystem, path: string): Promise<void> {
  try {
    await fs.syncFile(path);
  } catch (error) {
    throw translateFileError(error, path);
  }
}

/** The process that wrote the object may have died between the rename and this sync. */
async function syncFolder(fs: FileSystem, folder: string): Promise<void> {
  try {
    await fs.syncDirectory(folder);
  } catch (error) {
    throw translateFileError(error, folder);
  }
}

async function readIfThere(fs: FileSystem, path: string): Promise<Uint8Array | undefined> {
  try {
    return await fs.read(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw translateFileError(error, path);
  }
}

/** Digests come from rows and files. Anything else must not become a path. */
function checked(digest: string): string {
  if (/^[0-9a-f]{64}$/.test(digest)) return digest;
  throw new SlipwayError("object_missing", `"${digest.slice(0, 80)}" is not the SHA-256 of an object.`, {
    suggested_next_actions: ["Run `slipway journal verify`."],
  });
}

function missing(digest: string, path: string): SlipwayError {
  return new SlipwayError("object_missing", `The object ${digest} is missing (${path}).`, {
    file: path,
    digest,
    suggested_next_actions: ["Restore the file from a backup, then run `slipway journal verify`."],
  });
}

function corrupt(digest: string, path: string): SlipwayError {
  return new SlipwayError("object_corrupt", `The object ${digest} does not match its digest (${path}).`, {
    file: path,
    digest,
    suggested_next_actions: ["Restore the file from a backup, then run `slipway journal verify`. Check the disk."],
  });
}
