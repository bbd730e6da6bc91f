import { dirname } from "node:path";
import { sha256 } from "@slipway/durable/canonical";
import { hasCode, type FileSystem } from "./file-system.ts";
import { stageFile, translateFileError, type StagedFile } from "./write-atomic.ts";

export interface ProjectedOptions {
  /** False for a file that is checked after a power cut, which may leave it empty. */
  readonly whole?: boolean;
}

/** Writes files that are made from rows, only if they would change. Reads them only for that comparison. */
export interface ProjectedFiles {
  /** True if it was written: it was missing, outdated or edited. */
  write(path: string, text: string, options?: ProjectedOptions): Promise<boolean>;
  /** Everything but the final rename; null if nothing needs to be written. */
  stage(path: string, text: string, options?: ProjectedOptions): Promise<StagedFile | null>;
  /** Drops the cached state, so that the next write reads the file. */
  forget(path: string): void;
}

interface Written {
  readonly digest: string;
  readonly modifiedAt: number;
}

export function projectedFiles(fs: FileSystem): ProjectedFiles {
  const known = new Map<string, Written>();

  async function stands(path: string, digest: string, at: number): Promise<boolean> {
    const last = known.get(path);
    if (last !== undefined && last.modifiedAt === at) return last.digest === digest;
    const bytes = await whenThere(path, () => fs.read(path));
    return bytes !== null && sha256(bytes) === digest;
  }

  const modifiedAt = (path: string) => whenThere(path, () => fs.modifiedAt(path));

  /** Creates the folder without fsync: after a power cut, folder and file are made again from the rows. */
  async function stage(path: string, text: string, { whole = true }: ProjectedOptions = {}): Promise<StagedFile | null> {
    const digest = sha256(text);
    const before = await modifiedAt(path);
    if (before !== null && (await stands(path, digest, before))) {
      known.set(path, { digest, modifiedAt: before });
      return null;
    }
    if (before === null) await makeFolder(fs, dirname(path));
    const staged = await stageFile(fs, path, Buffer.from(text), { durable: false, whole });
    return {
      drop: staged.drop,
      async show() {
        await staged.show();
        known.set(path, { digest, modifiedAt: (await modifiedAt(path)) ?? 0 });
      },
    };
  }

  return {
    stage,
    async write(path, text, options) {
      const staged = await stage(path, text, options);
      await staged?.show();
      return staged !== null;
    },
    forget: (path) => void known.delete(path),
  };
}

/** Renames the files in order once all are staged, so that the last one appears only after the others. Returns their number. */
export async function showInOrder(all: readonly Promise<StagedFile | null>[]): Promise<number> {
  const staged = await Promise.all(all).catch(async (error: unknown) => {
    for (const one of await Promise.allSettled(all)) if (one.status === "fulfilled") await one.value?.drop();
    throw error;
  });
  for (const one of staged) await one?.show();
  return staged.filter((one) => one !== null).length;
}

async function makeFolder(fs: FileSystem, path: string): Promise<void> {
  try {
    await fs.mkdirs(path, 0o755);
  } catch (error) {
    // If it is not a folder, the write reports it.
    if (!hasCode(error, "EEXIST")) throw translateFileError(error, path);
  }
}

async function whenThere<T>(path: string, look: () => Promise<T>): Promise<T | null> {
  try {
    return await look();
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw translateFileError(error, path);
  }
}
