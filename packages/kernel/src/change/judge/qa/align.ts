import type { DiffHunk } from "./hunks.ts";
import type { QaItem } from "./schema.ts";

/** An item of the index with what its hunk says. */
export interface QaEntry extends Omit<QaItem, "hunks" | "path">, DiffHunk {}

/**
 * The index for a new diff. A hunk that says what an earlier one of the same file said is that one, wherever it now stands, and
 * keeps its status and evidence; every other is pending. What the diff no longer has is gone.
 */
export function align(old: readonly QaEntry[], hunks: readonly DiffHunk[], requiredTests: (path: string) => string[]): QaEntry[] {
  const before = Map.groupBy(old, nameOf);
  const counts = new Map([...Map.groupBy(hunks, nameOf)].map(([name, alike]) => [name, alike.length]));
  const seen = new Map<string, number>();
  return hunks.map((found) => {
    const name = nameOf(found);
    const position = seen.get(name) ?? 0;
    seen.set(name, position + 1);
    const required_tests = requiredTests(found.path);
    const known = matching(before.get(name) ?? [], counts.get(name) ?? 0)[position];
    return known === undefined || !sameList(known.required_tests, required_tests)
      ? { ...found, required_tests, status: "pending" }
      : { ...known, ...found };
  });
}

function nameOf({ path, key }: DiffHunk): string {
  return `${key} ${path}`;
}

/** Hunks that say the same are told apart by their order. When their number has changed, it is not known which of them went. */
function matching(alike: readonly QaEntry[], count: number): readonly QaEntry[] {
  if (alike.length === count) return alike;
  const statuses = new Set(alike.map(({ status }) => status));
  return alike.length > count && statuses.size === 1 ? alike : [];
}

function sameList(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((item, position) => item === right[position]);
}
