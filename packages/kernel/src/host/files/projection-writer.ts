import { dirname } from "node:path";
import { sha256 } from "@slipway/durable/canonical";
import { hasCode, type FileSystem } from "./file-system.ts";
import { blankFile, stageFile, translateFileError, type BlankFile, type StagedFile } from "./write-atomic.ts";

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
  /**
   * What will be staged soon, if it comes to that: written and synced ahead, in a folder of their own, so that nothing is seen of them;
   * an empty text is one that is not known yet. What is returned drops those that nobody has staged since.
   */
  ahead(folder: string, texts: Readonly<Record<string, string>>): Promise<() => Promise<void>>;
  /** The next write looks at the file itself. */
  forget(path: string): void;
}

type Ready = { readonly digest: string; readonly file: StagedFile } | { readonly digest: null; readonly file: BlankFile };

interface Written {
  readonly digest: string;
  readonly modifiedAt: number;
}

export function projectedFiles(fs: FileSystem): ProjectedFiles {
  const known = new Map<string, Written>();
  const ready = new Map<string, Ready>();

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
    const staged = (await taken(path, digest, text)) ?? (await stageFile(fs, path, Buffer.from(text), { durable: false, whole }));
    return {
      drop: staged.drop,
      async show() {
        await staged.show();
        known.set(path, { digest, modifiedAt: (await modifiedAt(path)) ?? 0 });
      },
    };
  }

  async function taken(path: string, digest: string, text: string): Promise<StagedFile | null> {
    const found = ready.get(path);
    if (found === undefined || (found.digest ?? digest) !== digest) return null;
    ready.delete(path);
    return found.digest === null ? found.file.fill(Buffer.from(text)) : found.file;
  }

  async function makeReady(folder: string, path: string, text: string): Promise<Ready> {
    const options = { durable: false, staging: folder };
    const one: Ready =
      text === ""
        ? { digest: null, file: await blankFile(fs, path, options) }
        : { digest: sha256(text), file: await stageFile(fs, path, Buffer.from(text), options) };
    const before = ready.get(path);
    ready.set(path, one);
    await before?.file.drop();
    return one;
  }

  /** Of these and the folders they are in, deepest first. */
  async function missing(folder: string): Promise<string[]> {
    return (await modifiedAt(folder)) === null ? [folder, ...(await missing(dirname(folder)))] : [];
  }

  return {
    stage,
    async ahead(folder, texts) {
      const paths = Object.keys(texts);
      const made: string[] = [];
      for (const path of paths) {
        made.unshift(...(await missing(dirname(path))));
        await makeFolder(fs, dirname(path));
      }
      await makeFolder(fs, folder);
      const all = await Promise.all(paths.map(async (path) => [path, await makeReady(folder, path, texts[path] ?? "")] as const));
      return async () => {
        for (const [path, one] of all) {
          if (ready.get(path) !== one) continue;
          ready.delete(path);
          await one.file.drop();
        }
        // One that somebody has put something into stays.
        for (const empty of made) await fs.rmdir(empty).catch(() => undefined);
      };
    },
    async write(path, text, options) {
      const staged = await stage(path, text, options);
      await staged?.show();
      return staged !== null;
    },
    forget: (path) => void known.delete(path),
  };
}

/**
 * Staged side by side, because most of the time is waiting for the disk, and shown one after the other: whoever finds the last one
 * finds the others. None is shown before `recorded`. Returns how many there were.
 */
export async function showInOrder(all: readonly Promise<StagedFile | null>[], recorded?: Promise<void>): Promise<number> {
  const [staged] = await Promise.all([Promise.all(all), recorded]).catch(async (error: unknown) => {
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
