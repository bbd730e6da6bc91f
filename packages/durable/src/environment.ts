import { randomBytes } from "node:crypto";

/** Passed in, so that a test can control the time. */
export interface Clock {
  /** Milliseconds since the epoch; may jump. */
  now(): number;
  /** Milliseconds that never go back. */
  monotonic(): number;
}

export interface Ids {
  next(prefix: string): string;
}

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

const ID_BYTES = 9;
let pool = Buffer.alloc(0);

/** Takes random bytes from the system in batches, because each system call costs more than the rest of an id. */
function idBytes(): Buffer {
  if (pool.length < ID_BYTES) pool = randomBytes(ID_BYTES * 128);
  const bytes = pool.subarray(0, ID_BYTES);
  pool = pool.subarray(ID_BYTES);
  return bytes;
}

export const systemIds: Ids = { next: (prefix) => `${prefix}_${idBytes().toString("base64url")}` };

/** Bytes by their SHA-256. The kernel's object store is the real one. */
export interface Blobs {
  put(bytes: Uint8Array): Promise<string>;
  /** Rejects with object_missing or object_corrupt. */
  get(digest: string): Promise<Uint8Array>;
}
