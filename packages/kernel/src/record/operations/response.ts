import { canonicalJson, type Json } from "@slipway/durable/canonical";
import type { Blobs } from "@slipway/durable/environment";
import { spill, spilledDigest } from "@slipway/durable/payload";

/** An answer as the ledger stores it. The envelope prevents an answer from looking like a reference to the object store. */
export async function encodeResponse(blobs: Blobs, output: unknown): Promise<string> {
  return spill(blobs, canonicalJson({ output: output ?? null }));
}

export async function decodeResponse(blobs: Blobs, stored: string): Promise<Json> {
  const digest = spilledDigest(stored);
  const text = digest === null ? stored : Buffer.from(await blobs.get(digest)).toString("utf8");
  return (JSON.parse(text) as { readonly output: Json }).output;
}
