import { constants } from "node:fs";
import { open, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { ReplyUsage } from "../usage.ts";
import { parsedObject, type Json } from "./json.ts";
import { lineSplitter } from "./lines.ts";

/** What a client writes down for itself as it works: one that tells only at its end what it took has it there before. */
export interface Diary {
  /** Below its HOME. */
  readonly folder: string;
  readonly file: RegExp;
  readonly open: () => DiaryReader;
}

export interface DiaryReader {
  readonly line: (entry: Json) => void;
  readonly spent: () => Spent;
}

export interface Spent {
  readonly usage: ReplyUsage;
  readonly model: string | null;
}

const MAX_BYTES = 256 * 1024 ** 2;
const MAX_LINE_BYTES = 32 * 1024 ** 2;

/** Of a process that is gone; null when it took nothing, or has written nothing down. */
export async function spentIn(home: string, diary: Diary): Promise<Spent | null> {
  const reader = diary.open();
  try {
    const root = await realpath(home);
    const entries = await readdir(join(root, diary.folder), { recursive: true, withFileTypes: true });
    for (const { name, parentPath } of entries.filter((entry) => entry.isFile() && diary.file.test(entry.name)))
      await readInto(reader, join(parentPath, name));
  } catch {
    // It stopped before it wrote anything; what was read so far counts.
  }
  const spent = reader.spent();
  return spent.usage.input_tokens + spent.usage.output_tokens === 0 ? null : spent;
}

/** The process could have put anything there: a link that leads out of its home is not followed. */
async function readInto({ line }: DiaryReader, path: string): Promise<void> {
  if ((await realpath(path)) !== path) return;
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const lines = lineSplitter((text) => {
    const entry = parsedObject(text);
    if (entry !== null) line(entry);
  }, MAX_LINE_BYTES);
  for await (const chunk of file.createReadStream({ end: MAX_BYTES })) lines.push(chunk as Buffer);
  lines.end();
}
