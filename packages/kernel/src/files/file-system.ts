import { open, mkdir, readdir, readFile, rename, stat, unlink } from "node:fs/promises";

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
  list(directory: string): Promise<string[]>;
  modifiedAt(path: string): Promise<number>;
  /** Makes the directory's entries durable: without it a created or renamed name can be gone after a power cut. */
  syncDirectory(path: string): Promise<void>;
}

export interface WritableFile {
  write(bytes: Uint8Array): Promise<void>;
  /** Makes the content durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export const nodeFileSystem: FileSystem = {
  read: (path) => readFile(path),
  async create(path, mode) {
    const handle = await open(path, "wx", mode);
    return { write: (bytes) => handle.writeFile(bytes), sync: () => handle.sync(), close: () => handle.close() };
  },
  rename,
  unlink,
  mkdir: async (path, mode) => void (await mkdir(path, { mode })),
  list: (directory) => readdir(directory),
  modifiedAt: async (path) => (await stat(path)).mtimeMs,
  async syncDirectory(path) {
    const handle = await open(path, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
};

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && codes.includes(error.code);
}
