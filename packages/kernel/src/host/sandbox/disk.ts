import { lstatSync, readdirSync, statfsSync, statSync, type Stats } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxRequest } from "./contract.ts";

/** A host folder that a command writes to, and its path inside the sandbox if that differs. */
export interface WrittenFolder {
  readonly folder: string;
  readonly inside?: string;
}

export function writtenFolders({ worktree, layer, home, outputs = [] }: SandboxRequest): WrittenFolder[] {
  return [
    layer === undefined ? { folder: worktree } : { folder: layer, inside: worktree },
    ...(home === undefined ? [] : [{ folder: home }]),
    ...outputs.map(({ from }) => ({ folder: from })),
  ];
}

/**
 * Measuring a worktree means walking it. Asking the file system for its free space is cheap, so that is done
 * first, and the walk only if more space is gone than the command may use.
 */
export class DiskGrowth {
  readonly #written: WrittenFolder;
  readonly #since: number;
  readonly #limit: number;
  #free: number;

  constructor(written: WrittenFolder, limitBytes: number, now: number) {
    this.#written = written;
    this.#free = freeBytes(written.folder);
    this.#limit = Math.min(limitBytes, Math.floor(this.#free / 2));
    // File times are coarser than the clock.
    this.#since = now - 20;
  }

  async exceeded(pids: readonly number[]): Promise<boolean> {
    const free = freeBytes(this.#written.folder);
    if (this.#free - free <= this.#limit) return false;
    const seen = new Set<number>();
    const used = (await writtenBytes(this.#written.folder, this.#since, seen)) + deletedBytes(this.#written, pids, seen);
    if (used > this.#limit) return true;
    // Another program filled the disk: measure again when as much again is gone.
    this.#free = free;
    return false;
  }
}

/** Infinite for a worktree that was removed in the meantime. */
function freeBytes(path: string): number {
  return attempt(() => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  }, Number.POSITIVE_INFINITY);
}

/** The bytes in a folder; 0 if it does not exist. */
export function bytesBelow(folder: string): Promise<number> {
  return writtenBytes(folder, 0, new Set());
}

async function writtenBytes(root: string, since: number, seen: Set<number>): Promise<number> {
  let total = 0;
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else total += attempt(() => writtenSince(lstatSync(path), since, seen), 0);
    }
  }
  return total;
}

/** Counts removed files that a process still has open: they are in no folder but still use the disk. */
function deletedBytes({ folder, inside }: WrittenFolder, pids: readonly number[], seen: Set<number>): number {
  const own = deviceOf(folder);
  return pids
    .flatMap((pid) => {
      // A file written through an overlay has the overlay's device number.
      const dev = inside === undefined ? own : deviceOf(`/proc/${pid}/root${inside}`);
      return openFiles(pid).filter((file) => file.isFile() && file.nlink === 0 && file.dev === dev);
    })
    .reduce((total, file) => total + countOnce(file, seen), 0);
}

function deviceOf(path: string): number {
  return attempt(() => statSync(path).dev, -1);
}

function openFiles(pid: number): Stats[] {
  const folder = `/proc/${pid}/fd`;
  return attempt(() => readdirSync(folder), []).flatMap((name) => attempt(() => [statSync(join(folder, name))], []));
}

function writtenSince(file: Stats, since: number, seen: Set<number>): number {
  return file.isFile() && file.ctimeMs >= since ? countOnce(file, seen) : 0;
}

function countOnce(file: Stats, seen: Set<number>): number {
  if (seen.has(file.ino)) return 0;
  seen.add(file.ino);
  return file.blocks * 512;
}

/** Files and processes may disappear while they are read. */
function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
