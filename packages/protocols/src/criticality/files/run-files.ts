import { join } from "node:path";
import { hasCode, type FileSystem } from "@slipway/kernel/host/files/file-system";
import { projectedFiles } from "@slipway/kernel/host/files/projection-writer";
import { translateFileError } from "@slipway/kernel/host/files/write-atomic";
import { assertCanonicalPath } from "@slipway/kernel/paths/paths";
import { SlipwayError } from "@slipway/agents/errors";
import { appendToFile, type AppendFile } from "./append-file.ts";
import { isSameContent, textOfContent, writeContent, type FileContent } from "./file-content.ts";
import type { KeptFiles } from "./kept-files.ts";

/**
 * The files of a run's folder, made from recorded values. Every call but `flush` only remembers what a file must contain. A replay
 * remembers the same again, so that a removed file is written again with the next flush.
 */
export interface RunFiles {
  put(path: string, text: string): void;
  /** A text that is read when it is written, by its digest in the object store. */
  putStored(path: string, digest: string, read: () => Promise<string>): void;
  append(path: string, line: string): void;
  /** Moves a file, or a folder with everything below it, as in archiving. */
  move(from: string, to: string): void;
  remove(path: string): void;
  /** Null for a file that is not known, or whose text is not kept. */
  text(path: string): string | null;
  /** The known files below a folder, in order. */
  below(folder: string): string[];
  /** Every file, as it is kept for an ended run. */
  kept(): KeptFiles;
  /**
   * Writes files that have changed or are missing, each atomically. Returns the first problem of the disk; what could not be written
   * is tried again with the next flush.
   */
  flush(): Promise<SlipwayError | null>;
}

export function openRunFiles(fs: FileSystem, folder: string, append: AppendFile = appendToFile): RunFiles {
  const contents = new Map<string, FileContent>();
  const unwritten = new Set<string>();
  const writer = { files: projectedFiles(fs), append };
  let flushing: Promise<SlipwayError | null> = Promise.resolve(null);

  function set(path: string, content: FileContent): void {
    assertCanonicalPath(path);
    if (isSameContent(contents.get(path), content)) return;
    contents.set(path, content);
    unwritten.add(path);
  }

  function remove(path: string): void {
    if (contents.delete(path)) unwritten.add(path);
  }

  function logAt(path: string): Extract<FileContent, { kind: "log" }> {
    const found = contents.get(path);
    if (found?.kind === "log") return found;
    const before = textOfContent(found);
    const log = { kind: "log" as const, lines: before === null ? [] : [before], written: 0, onDisk: null };
    set(path, log);
    return log;
  }

  async function write(path: string): Promise<void> {
    const content = contents.get(path);
    if (content === undefined) await unlinkIfAny(fs, join(folder, path));
    else await writeContent(writer, folder, path, content);
    unwritten.delete(path);
  }

  async function flush(): Promise<SlipwayError | null> {
    let first: SlipwayError | null = null;
    for (const path of contents.keys()) if (!unwritten.has(path) && (await isMissing(fs, join(folder, path)))) unwritten.add(path);
    for (const path of unwritten) {
      try {
        await write(path);
      } catch (error) {
        first ??= diskProblem(error, path);
      }
    }
    return first;
  }

  return {
    put: (path, text) => set(path, { kind: "text", text }),
    putStored: (path, digest, read) => set(path, { kind: "stored", digest, read }),
    remove,
    append(path, line) {
      logAt(path).lines.push(`${line}\n`);
      unwritten.add(path);
    },
    move(from, to) {
      const moved = [...contents].filter(([path]) => path === from || path.startsWith(`${from}/`));
      for (const [path, content] of moved) {
        remove(path);
        set(`${to}${path.slice(from.length)}`, content.kind === "log" ? { ...content, written: 0, onDisk: null } : content);
      }
    },
    text: (path) => textOfContent(contents.get(path)),
    below: (parent) => [...contents.keys()].filter((path) => path.startsWith(`${parent}/`)).toSorted(),
    kept: () =>
      Object.fromEntries(
        [...contents].map(([path, content]) => [
          path,
          content.kind === "stored" ? { digest: content.digest } : { text: textOfContent(content) ?? "" },
        ]),
      ),
    flush: () => (flushing = flushing.then(flush, flush)),
  };
}

/** A path that cannot be looked at counts as missing: its write reports why. */
async function isMissing(fs: FileSystem, path: string): Promise<boolean> {
  return (await fs.modifiedAt(path).catch(() => null)) === null;
}

async function unlinkIfAny(fs: FileSystem, path: string): Promise<void> {
  await fs.unlink(path).catch((error: unknown) => {
    if (!hasCode(error, "ENOENT", "ENOTDIR")) throw translateFileError(error, path);
  });
}

/** Errors of the operating system have a code; any other error is a bug and is thrown. */
function diskProblem(error: unknown, path: string): SlipwayError {
  const translated = translateFileError(error, path);
  if (translated instanceof SlipwayError) return translated;
  if (!(error instanceof Error) || !("code" in error)) throw error;
  return new SlipwayError(
    "io_error",
    `The file could not be written. (${path}: ${error.message})`,
    { file: path, suggested_next_actions: ["Check the folder of the run, and what stands at this path."] },
    { cause: error },
  );
}
