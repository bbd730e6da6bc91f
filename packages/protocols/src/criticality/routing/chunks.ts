import { CONTEXT_LIMITS } from "./context.ts";
import type { TaskType } from "./route.ts";

export interface AuditedFile {
  readonly path: string;
  readonly lines: readonly string[];
}

/** Consecutive lines of one file, counted from 1; `to` is inclusive. */
export interface Piece {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

export type Combination = "all_must_pass" | "any_flags";

export interface ChunkOptions {
  readonly role: keyof typeof CONTEXT_LIMITS;
  readonly tokensOf: (text: string) => number;
  readonly overlapLines?: number;
  /** Tokens of what every part sees besides its files. */
  readonly reserved?: number;
}

const FILLED = 0.8;
const OVERLAP_LINES = 10;
/** With less room than this share for files, an audit would have very many parts. */
const SMALLEST = 0.1;

/** Splits an audit that fits no model: whole files as far as they fit, and overlapping pieces of larger files. Empty without room. */
export function chunksFor(taskType: TaskType, files: readonly AuditedFile[], options: ChunkOptions): Piece[][] {
  if (taskType !== "audit") throw new TypeError(`A task of type ${taskType} cannot be split into parts.`);
  const { maxInput } = CONTEXT_LIMITS[options.role];
  const room = Math.floor(maxInput * FILLED) - (options.reserved ?? 0);
  if (room < maxInput * SMALLEST) return [];
  const chunks: Piece[][] = [];
  let open: Piece[] = [];
  let left = room;
  for (const file of files) {
    const size = options.tokensOf(file.lines.join("\n"));
    if (size > left && open.length > 0) {
      chunks.push(open);
      [open, left] = [[], room];
    }
    if (size <= room) {
      open.push({ path: file.path, from: 1, to: file.lines.length });
      left -= size;
    } else chunks.push(...pieces(file, room, options).map((piece) => [piece]));
  }
  return open.length === 0 ? chunks : [...chunks, open];
}

function pieces({ path, lines }: AuditedFile, room: number, { tokensOf, overlapLines = OVERLAP_LINES }: ChunkOptions): Piece[] {
  const found: Piece[] = [];
  for (let from = 1; from <= lines.length;) {
    let to = from;
    // A line longer than a chunk becomes one anyway: lines are not split.
    for (let size = tokensOf(line(lines, from)); to < lines.length; to++) {
      size += tokensOf(line(lines, to + 1));
      if (size > room) break;
    }
    found.push({ path, from, to });
    if (to === lines.length) break;
    from = Math.max(from + 1, to + 1 - overlapLines);
  }
  return found;
}

function line(lines: readonly string[], number: number): string {
  return lines[number - 1] ?? "";
}

export interface PartVerdict<Flag> {
  readonly passed: boolean;
  readonly flags: readonly Flag[];
}

/** Combines the verdicts of the parts. */
export function combine<Flag>(verdicts: readonly PartVerdict<Flag>[], how: Combination): PartVerdict<Flag> {
  const flags = verdicts.flatMap((verdict) => verdict.flags);
  return { passed: how === "all_must_pass" ? verdicts.every(({ passed }) => passed) : flags.length === 0, flags };
}
