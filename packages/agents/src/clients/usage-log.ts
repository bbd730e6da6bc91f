import { constants } from "node:fs";
import { open, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { ReplyUsage } from "../usage.ts";
import { parsedObject, type JsonObject } from "./json.ts";
import { lineSplitter } from "./lines.ts";

/** A client's own usage log, for clients that report usage only at their end. */
export interface UsageLog {
  /** Below its HOME. */
  readonly folder: string;
  readonly file: RegExp;
  readonly open: () => UsageLogReader;
}

export interface UsageLogReader {
  readonly line: (entry: JsonObject) => void;
  readonly spent: () => Spent;
}

export interface Spent {
  /** Of each request to the model. */
  readonly requests: readonly ReplyUsage[];
  readonly model: string | null;
}

const MAX_BYTES = 256 * 1024 ** 2;
const MAX_LINE_BYTES = 32 * 1024 ** 2;

/** The usage of an ended process; null if it used or logged nothing. */
export async function usageIn(home: string, usageLog: UsageLog): Promise<Spent | null> {
  const reader = usageLog.open();
  try {
    const root = await realpath(home);
    const entries = await readdir(join(root, usageLog.folder), { recursive: true, withFileTypes: true });
    for (const { name, parentPath } of entries.filter((entry) => entry.isFile() && usageLog.file.test(entry.name)))
      await readInto(reader, join(parentPath, name));
  } catch {
    // The log may be missing or incomplete; what was read so far counts.
  }
  const spent = reader.spent();
  return spent.requests.some(({ input_tokens, output_tokens }) => input_tokens + output_tokens > 0) ? spent : null;
}

/** The process controls this folder: links that lead out of its home are not followed. */
async function readInto({ line }: UsageLogReader, path: string): Promise<void> {
  if ((await realpath(path)) !== path) return;
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const lines = lineSplitter((text) => {
    const entry = parsedObject(text);
    if (entry !== null) line(entry);
  }, MAX_LINE_BYTES);
  for await (const chunk of file.createReadStream({ end: MAX_BYTES })) lines.push(chunk as Buffer);
  lines.end();
}
