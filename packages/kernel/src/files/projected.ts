import { dirname } from "node:path";
import { sha256 } from "@slipway/durable/canonical";
import { hasCode, type FileSystem } from "./file-system.ts";
import { translateFileError, writeFileAtomic } from "./write-atomic.ts";

export interface ProjectedOptions {
  /** False for a file that is looked at again after a power cut: it may be empty then. */
  readonly whole?: boolean;
}

/** Files made from rows. They are written when they would change, and never read as anything but bytes to compare with. */
export interface ProjectedFiles {
  /** True when it had to be written: it was missing, another text, or edited by somebody. */
  write(path: string, text: string, options?: ProjectedOptions): Promise<boolean>;
  /** The next write looks at the file itself. */
  forget(path: string): void;
}

interface Written {
  readonly digest: string;
  readonly modifiedAt: number;
}

export function projectedFiles(fs: FileSystem): ProjectedFiles {
  const known = new Map<string, Written>();

  async function stands(path: string, digest: string, modifiedAt: number): Promise<boolean> {
    const last = known.get(path);
    if (last !== undefined && last.modifiedAt === modifiedAt) return last.digest === digest;
    const bytes = await whenThere(path, () => fs.read(path));
    return bytes !== null && sha256(bytes) === digest;
  }

  /** Mostly its folder is there. It is no more durable than what is in it: both are made again from the rows. */
  async function replace(path: string, bytes: Uint8Array, whole: boolean): Promise<void> {
    const write = () => writeFileAtomic(fs, path, bytes, { durable: false, whole });
    try {
      await write();
    } catch (error) {
      if (!(error instanceof Error) || !hasCode(error.cause, "ENOENT")) throw error;
      await makeFolder(fs, dirname(path));
      await write();
    }
  }

  return {
    async write(path, text, { whole = true } = {}) {
      const digest = sha256(text);
      const before = await whenThere(path, () => fs.modifiedAt(path));
      if (before !== null && (await stands(path, digest, before))) {
        known.set(path, { digest, modifiedAt: before });
        return false;
      }
      await replace(path, Buffer.from(text), whole);
      known.set(path, { digest, modifiedAt: (await whenThere(path, () => fs.modifiedAt(path))) ?? 0 });
      return true;
    },
    forget: (path) => void known.delete(path),
  };
}

async function makeFolder(fs: FileSystem, path: string): Promise<void> {
  try {
    await fs.mkdir(path, 0o755);
  } catch (error) {
    if (hasCode(error, "EEXIST")) return;
    if (!hasCode(error, "ENOENT") || dirname(path) === path) throw translateFileError(error, path);
    await makeFolder(fs, dirname(path));
    await makeFolder(fs, path);
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
