import { canonicalJson, sha256, type Json } from "./canonical.ts";
import type { Broken, JournalEvent } from "./chain.ts";
import type { Blobs } from "./environment.ts";
import { SlipwayError } from "./errors.ts";

/** Above this many bytes a payload goes to the blobs and the journal keeps its digest. */
export const SPILL_BYTES = 64 * 1024;

/** The text to store; a long one is in the blobs before this returns. */
export async function spill(blobs: Blobs, text: string): Promise<string> {
  if (isShort(text)) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= SPILL_BYTES) return text;
  return canonicalJson({ $blob: await blobs.put(bytes), bytes: bytes.length });
}

/** Certainly not to be spilled: UTF-8 never needs more than three bytes for one unit of a JavaScript string. */
export function isShort(text: string): boolean {
  return text.length * 3 <= SPILL_BYTES;
}

/** The value behind a stored payload. */
export async function decodePayload(blobs: Blobs, event: JournalEvent): Promise<Json> {
  const digest = spilledDigest(event.payload);
  if (digest === null) return JSON.parse(event.payload) as Json;
  const blob = await readBlob(blobs, event, digest);
  if ("reason" in blob) throw brokenJournal(event.stream, blob);
  return JSON.parse(Buffer.from(blob.bytes).toString("utf8")) as Json;
}

/** What is wrong with the blob of a spilled payload, if anything. */
export async function blobFault(blobs: Blobs, event: JournalEvent): Promise<Broken | null> {
  const digest = spilledDigest(event.payload);
  const blob = digest === null ? null : await readBlob(blobs, event, digest);
  return blob !== null && "reason" in blob ? blob : null;
}

/** Journal payloads are objects with names of our own, so nothing else has this shape. */
export function spilledDigest(payload: string): string | null {
  return /^\{"\$blob":"([0-9a-f]{64})","bytes":\d+\}$/.exec(payload)?.[1] ?? null;
}

/** Only what the store says about the object itself counts; a disk that cannot be read proves nothing. */
async function readBlob(blobs: Blobs, { seq }: JournalEvent, digest: string): Promise<{ bytes: Uint8Array } | Broken> {
  const missing: Broken = { seq, reason: "blob_missing", message: `The payload of event ${seq} (object ${digest}) is missing.` };
  const corrupt: Broken = {
    seq,
    reason: "blob_corrupt",
    message: `The payload of event ${seq} (object ${digest}) is not what was written.`,
  };
  try {
    const bytes = await blobs.get(digest);
    return sha256(bytes) === digest ? { bytes } : corrupt;
  } catch (error) {
    if (error instanceof SlipwayError && error.code === "object_missing") return missing;
    if (error instanceof SlipwayError && error.code === "object_corrupt") return corrupt;
    throw error;
  }
}

export function brokenJournal(stream: string, broken: Broken): SlipwayError {
  return new SlipwayError("journal_broken", `The journal of ${stream} is broken at event ${broken.seq}: ${broken.message}`, {
    stream,
    seq: broken.seq,
    reason: broken.reason,
    suggested_next_actions: [
      "Put slipway/ below the git directory back from a copy; the agents' work is in git under refs/slipway.",
      "Start a new run; this one will not go on.",
    ],
  });
}
