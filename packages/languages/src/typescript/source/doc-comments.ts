import type { Comment } from "oxc-parser";
import { positionAt } from "./program.ts";

export interface DocComment {
  /** Without the comment marks. */
  readonly text: string;
  /** Of the first line of `text`, from 1. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/** The documentation comment above an offset; only space and other comments may be between. */
export function docBefore(text: string, comments: readonly Comment[], offset: number): DocComment | null {
  let at = offset;
  for (let index = lastBefore(comments, offset); index >= 0; index--) {
    const comment = comments[index];
    if (comment === undefined || text.slice(comment.end, at).trim() !== "") return null;
    if (isDoc(comment)) return read(text, comment);
    at = comment.start;
  }
  return null;
}

export function commentsWithin(comments: readonly Comment[], start: number, end: number): Comment[] {
  const last = lastBefore(comments, end);
  const found: Comment[] = [];
  for (let index = last; (comments[index]?.start ?? -1) >= start; index--) found.unshift(...comments.slice(index, index + 1));
  return found;
}

function lastBefore(comments: readonly Comment[], offset: number): number {
  let [low, high] = [0, comments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((comments[middle]?.end ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function isDoc({ type, value }: Comment): boolean {
  return type === "Block" && value.startsWith("*") && value.length > 1;
}

function read(text: string, { start, end }: Comment): DocComment | null {
  const lines = text.slice(start + 3, end - 2).split(/\r?\n/);
  const plain = lines.map((line, index) => (index === 0 ? line : line.replace(/^\s*\*? ?/, "")).trimEnd());
  const first = plain.findIndex((line) => line.trim() !== "");
  if (first < 0) return null;
  const last = plain.findLastIndex((line) => line.trim() !== "");
  const kept = plain.slice(first, last + 1).map((line, index) => (index === 0 ? line.trimStart() : line));
  return { text: kept.join("\n"), line: positionAt(text, start).line + first, start, end };
}
