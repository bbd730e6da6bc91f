import { digestOf } from "@slipway/durable/canonical";
import { dimensionsOf, type Dimensions } from "./schema.ts";

/** SHA-256 over the canonical JSON of the five dimensions only: details that a caller cannot see do not change it. */
export function fingerprintOf(contract: Dimensions): string {
  return digestOf(dimensionsOf(contract));
}

export function mismatchMessage(locked: string, actual: string): string {
  return `Interface fingerprint mismatch: expected ${locked}, got ${actual}`;
}
