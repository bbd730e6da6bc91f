import { inflateSync } from "node:zlib";

/** One `literal` or `delta` of a git binary patch. */
export interface BinaryHunk {
  readonly kind: "literal" | "delta";
  /** The claimed size of the resulting file; Infinity if unreadable. */
  readonly size: number;
  /** Unpacks a file's content, or git's delta from an old content, at each call. Null if unreadable or too large. */
  data(): Buffer | null;
}

/** Deliberately coarse: it may take prose for a hunk, but never misses a hunk. */
export function binaryHunks(text: string, maxBytes: number): BinaryHunk[] {
  const lines = text.split("\n");
  return lines.flatMap((line, position): BinaryHunk[] => {
    const kind = line.startsWith("literal ") ? "literal" : line.startsWith("delta ") ? "delta" : null;
    return kind === null ? [] : [hunkOf(kind, line.slice(kind.length + 1), () => dataAfter(lines, position + 1, maxBytes), maxBytes)];
  });
}

function hunkOf(kind: BinaryHunk["kind"], claimed: string, data: BinaryHunk["data"], maxBytes: number): BinaryHunk {
  // git's strtoul also accepts a sign, and so a huge number.
  const size = /^\d{1,10}\r?$/.test(claimed) ? Number.parseInt(claimed, 10) : Infinity;
  if (size > maxBytes) return { kind, size, data: () => null };
  if (kind === "literal") return { kind, size, data };
  // The second number in a delta is the size of the result; the size of the delta itself says nothing about it.
  const delta = data();
  return { kind, size: delta === null ? Infinity : sizesOf(delta).result, data };
}

function dataAfter(lines: readonly string[], start: number, maxBytes: number): Buffer | null {
  const end = lines.findIndex((line, at) => at >= start && line.length < 2);
  return inflateWithin(Buffer.concat(lines.slice(start, end < 0 ? lines.length : end).map(decodeLine)), maxBytes);
}

function inflateWithin(packed: Buffer, maxBytes: number): Buffer | null {
  try {
    return inflateSync(packed, { maxOutputLength: Math.max(1, maxBytes) });
  } catch {
    return null;
  }
}

interface DeltaSizes {
  readonly source: number;
  readonly result: number;
  /** The offset of the instructions. */
  readonly next: number;
}

function sizesOf(delta: Buffer): DeltaSizes {
  const source = variableInteger(delta, 0);
  const result = variableInteger(delta, source.next);
  return { source: source.value, result: result.value, next: result.next };
}

/** Applies a git delta to an old content; null if they do not fit. */
export function applyDelta(old: Buffer, delta: Buffer): Buffer | null {
  const { source, result, next } = sizesOf(delta);
  if (source !== old.length) return null;
  const parts: Buffer[] = [];
  let at = next;
  while (at < delta.length) {
    const code = delta[at++] ?? 0;
    if (code < 0x80) {
      parts.push(delta.subarray(at, at + code));
      at += code;
      continue;
    }
    const [offset, length] = [
      [0, 1, 2, 3],
      [4, 5, 6],
    ].map((bits) => bits.reduce((sum, bit, place) => ((code >> bit) & 1 ? sum + (delta[at++] ?? 0) * 2 ** (8 * place) : sum), 0));
    parts.push(old.subarray(offset, (offset ?? 0) + (length || 0x10000)));
  }
  const made = Buffer.concat(parts);
  return made.length === result ? made : null;
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

/** git's base 85: a letter for the number of bytes, then five characters for every four bytes. */
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
