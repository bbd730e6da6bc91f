import { randomBytes } from "node:crypto";

/** Time and identity are passed in, so that a test can own them. */
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

/** Asking the system for randomness costs more than everything else about an id, so it is asked for many at once. */
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
  /** Rejects with object_missing or object_corrupt when that is what is wrong. */
  get(digest: string): Promise<Uint8Array>;
}
