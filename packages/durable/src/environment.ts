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

export const systemIds: Ids = { next: (prefix) => `${prefix}_${randomBytes(9).toString("base64url")}` };

/** Bytes by their SHA-256. The kernel's object store is the real one. */
export interface Blobs {
  put(bytes: Uint8Array): Promise<string>;
  /** Rejects with object_missing or object_corrupt when that is what is wrong. */
  get(digest: string): Promise<Uint8Array>;
}
