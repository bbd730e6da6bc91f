import { join } from "node:path";
import { hasCode, type FileSystem } from "@slipway/kernel/host/files/file-system";
import { projectedFiles } from "@slipway/kernel/host/files/projection-writer";
import { assertCanonicalPath } from "@slipway/kernel/paths/paths";

/**
 * The files of a run's folder, made from recorded values. `put` and `append` only remember a text; `flush` writes what has changed.
 * A replay remembers the same texts again, so a removed file is written again with the next flush.
 */
export interface RunFiles {
  put(path: string, text: string): void;
  append(path: string, line: string): void;
  /** Moves a file, or a folder with everything below it, as in archiving. */
  move(from: string, to: string): void;
  remove(path: string): void;
  text(path: string): string | null;
  flush(): Promise<void>;
}

export function openRunFiles(fs: FileSystem, folder: string): RunFiles {
  const texts = new Map<string, string>();
  const unwritten = new Set<string>();
  const writer = projectedFiles(fs);

  function put(path: string, text: string): void {
    assertCanonicalPath(path);
    if (texts.get(path) === text) return;
    texts.set(path, text);
    unwritten.add(path);
  }

  function remove(path: string): void {
    if (texts.delete(path)) unwritten.add(path);
  }

  return {
    put,
    remove,
    append: (path, line) => put(path, `${texts.get(path) ?? ""}${line}\n`),
    move(from, to) {
      for (const [path, text] of [...texts]) {
        if (path !== from && !path.startsWith(`${from}/`)) continue;
        remove(path);
        put(`${to}${path.slice(from.length)}`, text);
      }
    },
    text: (path) => texts.get(path) ?? null,
    async flush() {
      for (const path of [...unwritten]) {
        const text = texts.get(path);
        if (text === undefined) await unlinkIfAny(fs, join(folder, path));
        else await writer.write(join(folder, path), text);
        unwritten.delete(path);
      }
    },
  };
}

async function unlinkIfAny(fs: FileSystem, path: string): Promise<void> {
  await fs.unlink(path).catch((error: unknown) => {
    if (!hasCode(error, "ENOENT")) throw error;
  });
}
