import { dirname } from "node:path";
import { sha256 } from "@slipway/durable/canonical";
import { hasCode, type FileSystem } from "./file-system.ts";
import { stageFile, translateFileError, type StagedFile } from "./write-atomic.ts";

export interface ProjectedOptions {
  /** False for a file that is looked at again after a power cut: it may be empty then. */
  readonly whole?: boolean;
}

/** Files made from rows. They are written when they would change, and never read as anything but bytes to compare with. */
export interface ProjectedFiles {
  /** True when it had to be written: it was missing, another text, or edited by somebody. */
  write(path: string, text: string, options?: ProjectedOptions): Promise<boolean>;
  /** All but the last step of it; null when there is nothing to do. */
  stage(path: string, text: string, options?: ProjectedOptions): Promise<StagedFile | null>;
  /** The next write looks at the file itself. */
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

  /** A new file is mostly in a new folder. The folder is no more durable than what is in it: both are made again from the rows. */
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

/** Shown one after the other, when all of them are staged: whoever finds the last one finds the others. Returns how many there were. */
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
    // Something else is in its place, which the write will tell.
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
