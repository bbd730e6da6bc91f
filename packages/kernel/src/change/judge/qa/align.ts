import type { DiffHunk } from "./hunks.ts";
import type { QaItem } from "./schema.ts";

/** An item of the index with the content of its hunk. */
export interface QaEntry extends Omit<QaItem, "hunks" | "path">, DiffHunk {}

/**
 * The index for a new diff. A hunk with the same content as an earlier one of the same file, at any line, keeps its status and evidence;
 * all others are pending. Entries without a hunk in the new diff are dropped.
 */
export function align(old: readonly QaEntry[], hunks: readonly DiffHunk[], requiredTests: (path: string) => string[]): QaEntry[] {
  const before = Map.groupBy(old, nameOf);
  const counts = new Map([...Map.groupBy(hunks, nameOf)].map(([name, alike]) => [name, alike.length]));
  const seen = new Map<string, number>();
  return hunks.map((hunk) => {
    const name = nameOf(hunk);
    const position = seen.get(name) ?? 0;
    seen.set(name, position + 1);
    const required_tests = requiredTests(hunk.path);
    const known = matching(before.get(name) ?? [], counts.get(name) ?? 0)[position];
    return known === undefined || !sameList(known.required_tests, required_tests)
      ? { ...hunk, required_tests, status: "pending" }
      : { ...known, ...hunk };
  });
}

function nameOf({ path, key }: DiffHunk): string {
  return `${key} ${path}`;
}

/** Hunks with equal content are matched by order. If their number has changed, the match is unknown. */
function matching(alike: readonly QaEntry[], count: number): readonly QaEntry[] {
  if (alike.length === count) return alike;
  const statuses = new Set(alike.map(({ status }) => status));
  return alike.length > count && statuses.size === 1 ? alike : [];
}

function sameList(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((item, position) => item === right[position]);
}
