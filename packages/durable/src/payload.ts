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
  const text = digest === null ? event.payload : await readBlob(blobs, event, digest);
  return JSON.parse(text) as Json;
}

/** What is wrong with the blob of a spilled payload, if anything. */
export async function blobFault(blobs: Blobs, event: JournalEvent): Promise<Broken | null> {
  const digest = spilledDigest(event.payload);
  if (digest === null) return null;
  const bytes = await blobs.get(digest).catch((error: unknown) => notFound(error));
  if (bytes === null)
    return { seq: event.seq, reason: "blob_missing", message: `The payload of event ${event.seq} (object ${digest}) is missing.` };
  if (sha256(bytes) === digest) return null;
  return {
    seq: event.seq,
    reason: "blob_corrupt",
    message: `The payload of event ${event.seq} (object ${digest}) is not what was written.`,
  };
}

/** Journal payloads are objects with names of our own, so nothing else has this shape. */
export function spilledDigest(payload: string): string | null {
  return /^\{"\$blob":"([0-9a-f]{64})","bytes":\d+\}$/.exec(payload)?.[1] ?? null;
}

async function readBlob(blobs: Blobs, event: JournalEvent, digest: string): Promise<string> {
  const fault = await blobFault(blobs, event);
  if (fault !== null) throw brokenJournal(event.stream, fault);
  return Buffer.from(await blobs.get(digest)).toString("utf8");
}

function notFound(error: unknown): null {
  if (error instanceof SlipwayError && error.code === "io_error") throw error;
  return null;
}

export function brokenJournal(stream: string, broken: Broken): SlipwayError {
  return new SlipwayError("journal_broken", `The journal of ${stream} is broken at event ${broken.seq}: ${broken.message}`, {
    stream,
    seq: broken.seq,
    reason: broken.reason,
    suggested_next_actions: [
      "Restore .slipway from a copy; the agents' work is in git under refs/slipway.",
      "Start a new run; this one will not go on.",
    ],
  });
}
