import { digestOf } from "@slipway/durable/canonical";
import { dimensionsOf, type Dimensions } from "./schema.ts";

/** SHA-256 over the canonical JSON of the five dimensions and nothing else: what a caller cannot see does not change it. */
export function fingerprintOf(contract: Dimensions): string {
  return digestOf(dimensionsOf(contract));
}

export function mismatchMessage(locked: string, actual: string): string {
  return `Interface fingerprint mismatch: expected ${locked}, got ${actual}`;
}
