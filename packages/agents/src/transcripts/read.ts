import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import { hasCode } from "@slipway/kernel/host/files/file-system";
import { lineSchema, type TranscriptHead, type TranscriptLine } from "./line.ts";

/** Longer than anything that is written as one line. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** The lines of a transcript, one at a time. What a crash cut off in the middle of a line is left out. */
export async function* readTranscript(path: string, digest: string | null = null): AsyncGenerator<TranscriptLine> {
  const seen = createHash("sha256");
  let number = 0;
  for await (const { text, complete } of linesOf(path, seen)) {
    number++;
    const line = parse(text);
    if (line !== null) yield line;
    else if (complete) throw unreadable(path, `line ${number} is none of a transcript`);
  }
  if (digest !== null && seen.digest("hex") !== digest) throw unreadable(path, "it is not what was stored", "object_corrupt");
}

export async function headOf(path: string): Promise<(TranscriptHead & { readonly at: number }) | null> {
  for await (const { text } of linesOf(path)) {
    const line = parse(text);
    return line?.kind === "invocation" ? line : null;
  }
  return null;
}

/** Transcripts that became no object: tries that failed on the way, were stopped or broken off, and those that are being written. */
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

/** By hand, because a line reader drops whether the last line had its end. */
async function* linesOf(path: string, seen?: ReturnType<typeof createHash>): AsyncGenerator<Text> {
  let rest: Buffer[] = [];
  let held = 0;
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      seen?.update(chunk);
      let from = 0;
      for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", from)) {
        yield { text: Buffer.concat([...rest, chunk.subarray(from, end)]).toString("utf8"), complete: true };
        rest = [];
        held = 0;
        from = end + 1;
      }
      rest.push(chunk.subarray(from));
      held += chunk.length - from;
      if (held > LONGEST_LINE) throw unreadable(path, "it has a line without an end");
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
    suggested_next_actions: ["Put the file back from a copy; `slipway journal verify` says whether anything else was changed."],
  });
}
