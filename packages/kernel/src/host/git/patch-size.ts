import { binaryHunks } from "./binary-hunks.ts";
import type { Offence, PatchLimits } from "./patch-rules.ts";

/**
 * Refuses a patch before git parses it, where parsing itself would do the damage: too many bytes, too many files, and
 * decompression bombs. Deliberately coarse: it may take prose for a header, but never misses a header.
 */
export function unparsable(patch: Uint8Array, limits: Required<PatchLimits>): Offence | null {
  if (patch.byteLength > limits.maxBytes) return { path: "", rule: "patch_too_large" };
  const text = Buffer.from(patch.buffer, patch.byteOffset, patch.byteLength).toString("latin1");
  if (count(text, /^diff --git /gm) > limits.maxFiles) return { path: "", rule: "too_many_files" };
  // git ends such a name at the NUL, so it would check another file than the reader sees.
  if (/^(?:diff --git|---|\+\+\+|rename (?:from|to)|copy (?:from|to)) [^\n]*(?:\\000|\0)/m.test(text))
    return { path: "", rule: "unsafe_name" };
  // -p1 would silently make it relative.
  if (text.match(HEADERS)?.some((header) => /^(?:---|\+\+\+) "?\/(?!dev\/null)/m.test(header)) === true)
    return { path: "", rule: "path_out_of_bounds" };
  if (hasBinary(patch) && binaryHunks(text, limits.maxBinaryBytes).some(({ size }) => size > limits.maxBinaryBytes))
    return { path: "", rule: "binary_too_large" };
  return null;
}

/** May be true for a text patch, but is never false for a binary one. */
export function hasBinary(patch: Uint8Array): boolean {
  return Buffer.from(patch.buffer, patch.byteOffset, patch.byteLength).includes("GIT binary patch");
}

const HEADERS = /^--- [^\n]*\n\+\+\+ [^\n]*\n@@ -/gm;

function count(text: string, pattern: RegExp): number {
  let found = 0;
  for (const _ of text.matchAll(pattern)) found++;
  return found;
}
