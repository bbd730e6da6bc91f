import { closeSync, fsync, mkdirSync, openSync, readFileSync, renameSync, statSync, unlinkSync, writeSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

/**
 * The calls that durable files need. The crash simulator implements them in tests.
 * Failures are Node's own errors, with `code` such as ENOENT or ENOSPC.
 */
export interface FileSystem {
  read(path: string): Promise<Uint8Array>;
  /** Creates a file that must not exist yet. */
  create(path: string, mode: number): Promise<WritableFile>;
  /** Replaces `to` if it exists. */
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** One level; fails with EEXIST if it exists. */
  mkdir(path: string, mode: number): Promise<void>;
  /** With missing parents; no effect if it exists. */
  mkdirs(path: string, mode: number): Promise<void>;
  list(directory: string): Promise<string[]>;
  /** Null if it does not exist. */
  modifiedAt(path: string): Promise<number | null>;
  /** Fsyncs a file that was written elsewhere. */
  syncFile(path: string): Promise<void>;
  /** Fsyncs the directory: otherwise a power cut can undo the creation or renaming of an entry. */
  syncDirectory(path: string): Promise<void>;
}

export interface WritableFile {
  write(bytes: Uint8Array): Promise<void>;
  /** Fsyncs the content. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const syncDescriptor = promisify(fsync);

/** The largest file that is read synchronously. */
const SMALL = 128 * 1024;

/**
 * Calls that take microseconds are synchronous, because the thread pool would cost more. Large reads and fsync are asynchronous.
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
