import { canonicalJson, sha256, type Json } from "./canonical.ts";
import type { Broken, JournalEvent } from "./chain.ts";
import type { Blobs } from "./environment.ts";
import { SlipwayError } from "./errors.ts";

/** A larger payload is stored as a blob, and the journal contains its digest. */
export const SPILL_BYTES = 64 * 1024;

/** The text for the journal. Stores a long text as a blob first. */
export async function spill(blobs: Blobs, text: string): Promise<string> {
  if (isShort(text)) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= SPILL_BYTES) return text;
  return canonicalJson({ $blob: await blobs.put(bytes), bytes: bytes.length });
}

/** True if the text is certainly not spilled: a UTF-16 unit needs at most three bytes in UTF-8. */
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

/** The fault in the blob of a spilled payload, or null. */
export async function blobFault(blobs: Blobs, event: JournalEvent): Promise<Broken | null> {
  const digest = spilledDigest(event.payload);
  const blob = digest === null ? null : await readBlob(blobs, event, digest);
  return blob !== null && "reason" in blob ? blob : null;
}

/** Unambiguous, because no other journal payload has this shape. */
export function spilledDigest(payload: string): string | null {
  return /^\{"\$blob":"([0-9a-f]{64})","bytes":\d+\}$/.exec(payload)?.[1] ?? null;
}

/** Only object_missing and object_corrupt count as faults of the journal; other read errors are thrown. */
async function readBlob(blobs: Blobs, { seq }: JournalEvent, digest: string): Promise<{ bytes: Uint8Array } | Broken> {
  const missing: Broken = { seq, reason: "blob_missing", message: `The payload of event ${seq} (object ${digest}) is missing.` };
  const corrupt: Broken = {
    seq,
    reason: "blob_corrupt",
    message: `The payload of event ${seq} (object ${digest}) was changed after it was written.`,
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
      "Restore slipway/ below the git directory from a copy; the agents' work is in git under refs/slipway.",
      "Start a new run; this one cannot continue.",
    ],
  });
}
