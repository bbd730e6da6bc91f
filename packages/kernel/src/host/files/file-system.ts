import { closeSync, fsync, mkdirSync, openSync, readFileSync, renameSync, statSync, unlinkSync, writeSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

/**
 * The few calls that durable files need, so that the crash simulator can stand in for the disk.
 * Failures are Node's own errors, with `code` such as ENOENT or ENOSPC.
 */
export interface FileSystem {
  read(path: string): Promise<Uint8Array>;
  /** Creates a file that must not exist yet. */
  create(path: string, mode: number): Promise<WritableFile>;
  /** Replaces `to` if it is there. */
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** One level; fails with EEXIST. */
  mkdir(path: string, mode: number): Promise<void>;
  /** With its missing parents; nothing happens where it is there. */
  mkdirs(path: string, mode: number): Promise<void>;
  list(directory: string): Promise<string[]>;
  /** Null when it is not there. */
  modifiedAt(path: string): Promise<number | null>;
  /** Makes the content of a file durable that somebody has written. */
  syncFile(path: string): Promise<void>;
  /** Makes the directory's entries durable: without it a created or renamed name can be gone after a power cut. */
  syncDirectory(path: string): Promise<void>;
}

export interface WritableFile {
  write(bytes: Uint8Array): Promise<void>;
  /** Makes the content durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const syncDescriptor = promisify(fsync);

/** The largest file that is read at once. */
const SMALL = 128 * 1024;

/**
 * What takes microseconds is done at once: a turn of the thread pool would cost more. Reading much, and waiting for the disk, are not.
 */
export const nodeFileSystem: FileSystem = {
  async read(path) {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() === true && found.size <= SMALL ? readFileSync(path) : readFile(path);
  },
  async create(path, mode) {
    const descriptor = openSync(path, "wx", mode);
    return {
      write: async (bytes) => writeAll(descriptor, bytes),
      sync: () => syncDescriptor(descriptor),
      close: async () => closeSync(descriptor),
    };
  },
  rename: async (from, to) => renameSync(from, to),
  unlink: async (path) => unlinkSync(path),
  mkdir: async (path, mode) => void mkdirSync(path, { mode }),
  mkdirs: async (path, mode) => void mkdirSync(path, { mode, recursive: true }),
  list: (directory) => readdir(directory),
  modifiedAt: async (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null,
  syncFile: syncAt,
  syncDirectory: syncAt,
};

async function syncAt(path: string): Promise<void> {
  const descriptor = openSync(path, "r");
  try {
    await syncDescriptor(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && codes.includes(error.code);
}
