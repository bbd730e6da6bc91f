import type { PackItem } from "@slipway/agents/pack";
import type { TreeFile } from "@slipway/kernel/change/views/context";
import type { ChangeRun } from "./change-run.ts";

export interface FileChoice {
  /** They come first. */
  readonly wanted: readonly string[];
  readonly maxBytes: number;
}

/** For providers without a folder: the texts that matter most, then as many others as fit. Files that are not text are left out. */
export async function fileSections(
  { services }: ChangeRun,
  files: readonly TreeFile[],
  { wanted, maxBytes }: FileChoice,
): Promise<PackItem[]> {
  const first = files.filter(({ path }) => wanted.includes(path));
  const rest = files.filter(({ path }) => !wanted.includes(path));
  let room = maxBytes;
  const shown = [...first, ...rest].filter(({ bytes }) => (room -= bytes) >= 0);
  const texts = await Promise.all(
    shown.map(async (file) => ({ path: file.path, text: await services.kernel.features.readTreeFile(file) })),
  );
  return texts.flatMap(({ path, text }) => (text.includes("\0") ? [] : [{ title: path, kind: "file", text }]));
}

export function listingSection(files: readonly TreeFile[]): PackItem {
  return { title: "files in the repository", kind: "listing", text: files.map(({ path }) => path).join("\n") };
}
