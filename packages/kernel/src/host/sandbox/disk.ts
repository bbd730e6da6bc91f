import { lstatSync, readdirSync, statfsSync, statSync, type Stats } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "../files/file-system.ts";
import type { Limits, SandboxRequest } from "./contract.ts";

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

interface Free {
  readonly bytes: number;
  readonly files: number;
}

/** What a command has written below a folder. */
interface Written {
  bytes: number;
  /** New or changed ones, folders included. */
  files: number;
  /** Some of it cannot be reached: a path is too long, or a folder is closed. */
  hidden: boolean;
}

const SLASH = Buffer.from("/");
/** Less than this share of the space that was free at the start ends a command, whoever has used it. */
const LAST_SHARE = 0.1;
const SHORTEST_WALK_PAUSE_MS = 1_000;
/** Walks use at most 1/WALK_SHARE of the time. */
const WALK_SHARE = 20;

/**
 * Measuring a worktree means walking it. Asking the file system for its free space is cheap, so that is done first, and the walk at once
 * only if more space is gone than the command may use. Because other programs free space too, there is a walk now and then in any case.
 */
export class DiskGrowth {
  readonly #written: WrittenFolder;
  readonly #since: number;
  readonly #limit: Free;
  readonly #least: number;
  #free: Free;
  #walksFrom: number;

  constructor(written: WrittenFolder, { diskBytes, files }: Pick<Limits, "diskBytes" | "files">, now: number) {
    this.#written = written;
    this.#free = freeAt(written.folder);
    this.#limit = { bytes: Math.min(diskBytes, Math.floor(this.#free.bytes / 2)), files };
    this.#least = Number.isFinite(this.#free.bytes) ? this.#free.bytes * LAST_SHARE : 0;
    // File times are coarser than the clock.
    this.#since = now - 20;
    this.#walksFrom = performance.now() + SHORTEST_WALK_PAUSE_MS;
  }

  async exceeded(pids: readonly number[]): Promise<"disk" | "files" | null> {
    const free = freeAt(this.#written.folder);
    if (free.bytes < this.#least) return "disk";
    const fewer = { bytes: this.#free.bytes - free.bytes > this.#limit.bytes, files: this.#free.files - free.files > this.#limit.files };
    const begun = performance.now();
    if (!fewer.bytes && !fewer.files && begun < this.#walksFrom) return null;
    const seen = new Set<number>();
    const { bytes, files, hidden } = await writtenBelow(this.#written.folder, this.#since, seen);
    const ended = performance.now();
    this.#walksFrom = ended + Math.max((ended - begun) * WALK_SHARE, SHORTEST_WALK_PAUSE_MS);
    if ((fewer.bytes && hidden) || bytes + deletedBytes(this.#written, pids, seen) > this.#limit.bytes) return "disk";
    if ((fewer.files && hidden) || files > this.#limit.files) return "files";
    // Another program filled the disk: measure again when as much again is gone.
    if (fewer.bytes || fewer.files) this.#free = free;
    return null;
  }
}

/** Infinite for a worktree that was removed in the meantime. */
function freeAt(path: string): Free {
  return attempt(
    () => {
      const { bavail, bsize, ffree } = statfsSync(path);
      return { bytes: bavail * bsize, files: ffree };
    },
    { bytes: Number.POSITIVE_INFINITY, files: Number.POSITIVE_INFINITY },
  );
}

/** The bytes in a folder; 0 if it does not exist. */
export async function bytesBelow(folder: string): Promise<number> {
  return (await writtenBelow(folder, 0, new Set())).bytes;
}

/** Works on bytes: a name that is not valid UTF-8 has a size too. */
async function writtenBelow(root: string, since: number, seen: Set<number>): Promise<Written> {
  const written: Written = { bytes: 0, files: 0, hidden: false };
  const unreadable = (error: unknown) => {
    written.hidden ||= hasCode(error, "ENAMETOOLONG", "EACCES");
    return [];
  };
  const folders = [Buffer.from(root)];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true, encoding: "buffer" }).catch(unreadable)) {
      const path = Buffer.concat([folder, SLASH, entry.name]);
      if (entry.isDirectory()) folders.push(path);
      const stats = statsOf(path, unreadable);
      if (stats === null || stats.ctimeMs < since) continue;
      written.files++;
      if (stats.isFile()) written.bytes += countOnce(stats, seen);
    }
  }
  return written;
}

function statsOf(path: Buffer, unreadable: (error: unknown) => unknown): Stats | null {
  try {
    return lstatSync(path);
  } catch (error) {
    unreadable(error);
    return null;
  }
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
