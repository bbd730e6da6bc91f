import { join } from "node:path";
import type { ProjectedFiles } from "@slipway/kernel/host/files/projection-writer";
import type { AppendFile } from "./append-file.ts";

/** What a file of the run's folder must contain. */
export type FileContent =
  | { readonly kind: "text"; readonly text: string }
  /** Read each time it is written, so that it is not kept in memory. */
  | { readonly kind: "stored"; readonly digest: string; readonly read: () => Promise<string> }
  | LogContent;

/** Lines that are only ever added. `onDisk` is the size that this process left; null before its first write. */
export interface LogContent {
  readonly kind: "log";
  readonly lines: string[];
  written: number;
  onDisk: number | null;
}

export interface ContentWriter {
  readonly files: ProjectedFiles;
  readonly append: AppendFile;
}

/** Writes a log by adding its new lines, anything else as a whole. */
export async function writeContent({ files, append }: ContentWriter, folder: string, path: string, content: FileContent): Promise<void> {
  const target = join(folder, path);
  if (content.kind === "log") {
    const added = Buffer.from(content.lines.slice(content.written).join(""));
    if (content.onDisk !== null && append(target, content.onDisk, added)) content.onDisk += added.length;
    else {
      files.forget(target);
      await files.write(target, content.lines.join(""));
      content.onDisk = Buffer.byteLength(content.lines.join(""));
    }
    content.written = content.lines.length;
    return;
  }
  await files.write(target, content.kind === "text" ? content.text : await content.read());
}

export function textOfContent(content: FileContent | undefined): string | null {
  if (content === undefined || content.kind === "stored") return null;
  return content.kind === "text" ? content.text : content.lines.join("");
}

/** Whether a file with the one content needs no writing for the other. */
export function isSameContent(a: FileContent | undefined, b: FileContent): boolean {
  if (a?.kind === "stored" && b.kind === "stored") return a.digest === b.digest;
  return b.kind === "text" && a?.kind === "text" && a.text === b.text;
}
