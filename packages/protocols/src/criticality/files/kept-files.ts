import { join } from "node:path";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { projectedFiles } from "@slipway/kernel/host/files/projection-writer";
import { assertCanonicalPath } from "@slipway/kernel/paths/paths";
import type { Records } from "@slipway/kernel/record/storage";
import { z } from "zod";
import type { RunFiles } from "./run-files.ts";

/** The files of an ended run by path: their text, or the object that has it. */
const keptFilesSchema = z.record(z.string(), z.union([z.strictObject({ text: z.string() }), z.strictObject({ digest: z.string() })]));

export type KeptFiles = z.output<typeof keptFilesSchema>;

/** Stores all files of a run as one object, for the time when they are missing. */
export async function keepFiles(files: Pick<RunFiles, "kept">, objects: Pick<Records["objects"], "put">): Promise<string> {
  return objects.put(Buffer.from(JSON.stringify(files.kept())));
}

/** Writes files again that are missing. `last` is written last: as long as it is missing, another call continues. */
export async function restoreKeptFiles(
  objects: Pick<Records["objects"], "get">,
  folder: string,
  digest: string,
  last: string,
): Promise<number> {
  const text = async (of: string) => Buffer.from(await objects.get(of)).toString("utf8");
  const kept = keptFilesSchema.parse(JSON.parse(await text(digest)));
  const writer = projectedFiles(nodeFileSystem);
  const ordered = Object.entries(kept).toSorted(([a], [b]) => Number(a === last) - Number(b === last));
  let written = 0;
  for (const [path, file] of ordered) {
    const target = join(folder, assertCanonicalPath(path));
    if ((await nodeFileSystem.modifiedAt(target).catch(() => null)) !== null) continue;
    await writer.write(target, "text" in file ? file.text : await text(file.digest));
    written++;
  }
  return written;
}
