import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { hasCode, type FileSystem, type WritableFile } from "./file-system.ts";

export interface WriteOptions {
  readonly mode?: number;
  /** Makes temporary names unique among writers in one folder. */
  readonly nonce?: () => string;
  /** False for a file that can be made again: after a power cut it may have its complete old content. */
  readonly durable?: boolean;
  /** False, together with `durable: false`, for a file that is checked after a power cut, which may leave it empty. */
  readonly whole?: boolean;
}

const TEMPORARY = /^\.slipway-[0-9a-f]+\.tmp$/;
const STALE_AFTER_MS = 600_000;

/**
 * Replaces the file's content atomically. When this resolves, the new content survives a power cut (unless `durable` is false).
 * The folder must exist and be durable itself (`ensureDirectory`).
 */
export async function writeFileAtomic(fs: FileSystem, path: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<void> {
  await (await stageFile(fs, path, bytes, options)).show();
}

/** New content in a temporary file, not yet renamed to its place. */
export interface StagedFile {
  show(): Promise<void>;
  /** Discards it. */
  drop(): Promise<void>;
}

export async function stageFile(fs: FileSystem, path: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<StagedFile> {
  const directory = dirname(path);
  const temporary = join(directory, `.slipway-${(options.nonce ?? randomNonce)()}.tmp`);
  // If the removal fails, the next sweep removes the file.
  const drop = () => fs.unlink(temporary).catch(() => undefined);
  const orDropped = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      await drop();
      throw translateFileError(error, path);
    }
  };
  await orDropped(async () => writeAndClose(await fs.create(temporary, options.mode ?? 0o644), bytes, options));
  return {
    drop,
    show: () =>
      orDropped(async () => {
        await fs.rename(temporary, path);
        if (options.durable !== false) await fs.syncDirectory(directory);
      }),
  };
}

async function writeAndClose(file: WritableFile, bytes: Uint8Array, { whole = true }: WriteOptions): Promise<void> {
  try {
    await file.write(bytes);
    // Fsync before the rename: otherwise a power cut can leave an empty file under the new name.
    if (whole) await file.sync();
  } finally {
    await file.close();
  }
}

/** Creates the folder and its missing parents, and fsyncs each before the next. */
export async function ensureDirectory(fs: FileSystem, path: string, mode = 0o755): Promise<void> {
  try {
    await fs.mkdir(path, mode);
  } catch (error) {
    if (hasCode(error, "ENOENT") && dirname(path) !== path) {
      await ensureDirectory(fs, dirname(path), mode);
      return ensureDirectory(fs, path, mode);
    }
    if (!hasCode(error, "EEXIST")) throw translateFileError(error, path);
  }
  try {
    // Also for an existing folder: its creator may have died before the fsync.
    await fs.syncDirectory(dirname(path));
  } catch (error) {
    throw translateFileError(error, path);
  }
}

/** Removes temporary files of dead writers and returns their number. Younger files may belong to a live writer. */
export async function sweepTemporaries(fs: FileSystem, directory: string, now: number, staleAfterMs = STALE_AFTER_MS): Promise<number> {
  let removed = 0;
  for (const name of (await namesIn(fs, directory)).filter((name) => TEMPORARY.test(name))) {
    const path = join(directory, name);
    try {
      const modifiedAt = await fs.modifiedAt(path);
      if (modifiedAt === null || modifiedAt > now - staleAfterMs) continue;
      await fs.unlink(path);
      removed++;
    } catch (error) {
      // Another process finished its write, or swept as well.
      if (!hasCode(error, "ENOENT")) throw translateFileError(error, path);
    }
  }
  return removed;
}

/** Empty for a missing folder. */
export async function namesIn(fs: FileSystem, directory: string): Promise<string[]> {
  try {
    return await fs.list(directory);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw translateFileError(error, directory);
  }
}

export function translateFileError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof SlipwayError) return error;
  const reason = `${path}: ${error.message}`;
  if (hasCode(error, "ENOSPC", "EDQUOT")) {
    return new SlipwayError(
      "disk_full",
      `There is no space left to write a file; nothing was changed. (${reason})`,
      { file: path, suggested_next_actions: ["Free some space, then run `slipway resume`."] },
      { cause: error },
    );
  }
  if (hasCode(error, "EIO", "EROFS", "EACCES", "EPERM", "ENOTDIR", "EISDIR", "ENOENT")) {
    return new SlipwayError(
      "io_error",
      `The file could not be written. (${reason})`,
      { file: path, suggested_next_actions: ["Check that the folder exists, is writable for your user and that the disk is healthy."] },
      { cause: error },
    );
  }
  return error;
}

function randomNonce(): string {
  return randomBytes(8).toString("hex");
}
