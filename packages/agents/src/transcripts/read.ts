import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { SlipwayError } from "../errors.ts";
import { hasCode } from "@slipway/kernel/host/files/file-system";
import { lineSchema, type TranscriptHead, type TranscriptLine } from "./line.ts";

/** Longer than any line that is written. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** The lines of a transcript, one at a time. A line cut off by a crash is skipped. */
export async function* readTranscript(path: string, digest: string | null = null): AsyncGenerator<TranscriptLine> {
  const seen = createHash("sha256");
  let number = 0;
  for await (const { text, complete } of linesOf(path, seen)) {
    number++;
    const line = parse(text);
    if (line !== null) yield line;
    else if (complete) throw unreadable(path, `line ${number} is not a line of a transcript`);
  }
  if (digest !== null && seen.digest("hex") !== digest) throw unreadable(path, "its digest does not match", "object_corrupt");
}

export async function headOf(path: string): Promise<(TranscriptHead & { readonly at: number }) | null> {
  for await (const { text } of linesOf(path)) {
    const line = parse(text);
    return line?.kind === "invocation" ? line : null;
  }
  return null;
}

/** Transcripts that did not become objects: failed, stopped or interrupted attempts, and those being written. */
export async function openTranscripts(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder);
    return names
      .filter((name) => name.endsWith(".jsonl"))
      .toSorted()
      .map((name) => join(folder, name));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}

interface Text {
  readonly text: string;
  readonly complete: boolean;
}

/** A line reader would not tell whether the last line was complete. */
async function* linesOf(path: string, seen?: ReturnType<typeof createHash>): AsyncGenerator<Text> {
  let rest: Buffer[] = [];
  let pendingBytes = 0;
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      seen?.update(chunk);
      let from = 0;
      for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", from)) {
        yield { text: Buffer.concat([...rest, chunk.subarray(from, end)]).toString("utf8"), complete: true };
        rest = [];
        pendingBytes = 0;
        from = end + 1;
      }
      rest.push(chunk.subarray(from));
      pendingBytes += chunk.length - from;
      if (pendingBytes > LONGEST_LINE) throw unreadable(path, "a line is too long");
    }
  } catch (error) {
    if (hasCode(error, "ENOENT")) throw unreadable(path, "the file is gone", "object_missing");
    throw error;
  }
  const last = Buffer.concat(rest).toString("utf8");
  if (last !== "") yield { text: last, complete: false };
}

function parse(text: string): TranscriptLine | null {
  try {
    const checked = lineSchema.safeParse(JSON.parse(text));
    return checked.success ? checked.data : null;
  } catch {
    return null;
  }
}

function unreadable(path: string, problem: string, code: "object_corrupt" | "object_missing" = "object_corrupt"): SlipwayError {
  return new SlipwayError(code, `The transcript ${path} cannot be read: ${problem}.`, {
    file: path,
    suggested_next_actions: ["Restore the file from a backup; `slipway journal verify` checks the rest."],
  });
}
