import { inflateSync } from "node:zlib";
import type { Offence, PatchLimits } from "./patch-rules.ts";

/**
 * What must be refused before git parses a patch, because parsing would be the damage: too many bytes, too many files, and
 * compressed bytes that unfold without end. Deliberately coarse: it may take prose for a header, never the other way round.
 */
export function unparsable(patch: Uint8Array, limits: Required<PatchLimits>): Offence | null {
  if (patch.byteLength > limits.maxBytes) return { path: "", rule: "patch_too_large" };
  const text = Buffer.from(patch.buffer, patch.byteOffset, patch.byteLength).toString("latin1");
  if (count(text, /^diff --git /gm) > limits.maxFiles) return { path: "", rule: "too_many_files" };
  // git stops reading such a name at the NUL and would judge another file than the reader sees.
  if (/^(?:diff --git|---|\+\+\+|rename (?:from|to)|copy (?:from|to)) [^\n]*(?:\\000|\0)/m.test(text))
    return { path: "", rule: "unsafe_name" };
  // -p1 would quietly make it relative.
  if (text.match(HEADERS)?.some((header) => /^(?:---|\+\+\+) "?\/(?!dev\/null)/m.test(header)) === true)
    return { path: "", rule: "path_out_of_bounds" };
  if (hasBinary(patch) && !binariesAreSmall(text, limits.maxBinaryBytes)) return { path: "", rule: "binary_too_large" };
  return null;
}

/** Says yes too often rather than not often enough. */
export function hasBinary(patch: Uint8Array): boolean {
  return Buffer.from(patch.buffer, patch.byteOffset, patch.byteLength).includes("GIT binary patch");
}

const HEADERS = /^--- [^\n]*\n\+\+\+ [^\n]*\n@@ -/gm;

function binariesAreSmall(text: string, maxBytes: number): boolean {
  const lines = text.split("\n");
  return lines.every((line, position) => {
    const kind = line.startsWith("literal ") ? "literal" : line.startsWith("delta ") ? "delta" : null;
    if (kind === null) return true;
    // strtoul would also take a sign, and so a huge number.
    const size = /^\d{1,10}\r?$/.exec(line.slice(kind.length + 1)) === null ? Infinity : Number.parseInt(line.slice(kind.length + 1), 10);
    if (size > maxBytes) return false;
    return kind === "literal" || resultSize(lines.slice(position + 1), maxBytes) <= maxBytes;
  });
}

/** A delta names the size of what it makes in its second number; its own size says nothing about that. */
function resultSize(lines: readonly string[], maxBytes: number): number {
  const end = lines.findIndex((line) => line.length < 2);
  const packed = Buffer.concat(lines.slice(0, end < 0 ? lines.length : end).map(decodeLine));
  const delta = inflateWithin(packed, maxBytes);
  if (delta === undefined) return Infinity;
  const source = variableInteger(delta, 0);
  return variableInteger(delta, source.next).value;
}

function inflateWithin(packed: Buffer, maxBytes: number): Buffer | undefined {
  try {
    return inflateSync(packed, { maxOutputLength: maxBytes });
  } catch {
    return undefined;
  }
}

function variableInteger(bytes: Buffer, start: number): { value: number; next: number } {
  let value = 0;
  let next = start;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[next++];
    if (byte === undefined) return { value: Infinity, next };
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, next };
  }
}

const BASE85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/** A letter for the number of bytes, then five characters for every four of them. */
function decodeLine(line: string): Buffer {
  const first = line.charCodeAt(0);
  const length = first >= 97 ? first - 97 + 27 : first - 65 + 1;
  const bytes: number[] = [];
  for (let at = 1; at + 5 <= line.length; at += 5) {
    let word = 0;
    for (const character of line.slice(at, at + 5)) word = word * 85 + Math.max(0, BASE85.indexOf(character));
    bytes.push((word / 2 ** 24) & 0xff, (word >> 16) & 0xff, (word >> 8) & 0xff, word & 0xff);
  }
  return Buffer.from(bytes.slice(0, Math.max(0, length)));
}

function count(text: string, pattern: RegExp): number {
  let found = 0;
  for (const _ of text.matchAll(pattern)) found++;
  return found;
}
