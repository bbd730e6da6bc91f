import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { align, type QaEntry } from "./align.ts";
import type { DiffHunk } from "./hunks.ts";
import { QA_STATUSES } from "./schema.ts";

const required = (path: string) => [`full:${path.slice(0, 1)}`];
const place = fc.record({ path: fc.constantFrom("a/1", "a/2", "b/1"), key: fc.constantFrom("k1", "k2", "k3"), line: fc.nat(99) });
/** As git lists them: file by file, from the top. */
const hunks = fc
  .array(place, { maxLength: 12 })
  .map((places) =>
    places
      .toSorted((left, right) => left.path.localeCompare(right.path) || left.line - right.line)
      .map(({ path, key, line }): DiffHunk => ({ path, key, hunk: { start_line: line, end_line: line, change_type: "modified" } })),
  );
const verdict = fc.record({ status: fc.constantFrom(...QA_STATUSES), evidence_refs: fc.constantFrom(["e1"], ["e2"]) });

/** An index with history: aligned with a diff, then updated. */
const index = fc
  .tuple(hunks, fc.infiniteStream(verdict))
  .map(([found, verdicts]) => align([], found, required).map((entry): QaEntry => ({ ...entry, ...verdicts.next().value })));

const one = (path: string, key: string, start_line: number): DiffHunk => ({
  path,
  key,
  hunk: { start_line, end_line: start_line, change_type: "added" },
});
const passed = (entries: readonly QaEntry[]): QaEntry[] =>
  entries.map((entry) => ({ ...entry, status: "passed", last_run_at: "2026-01-01T00:00:00.000Z", evidence_refs: ["log"] }));
const statuses = (entries: readonly QaEntry[]) => entries.map(({ path, key, status }) => `${path} ${key} ${status}`);

describe("[FEA-058] an index follows the diff", () => {
  test("it has exactly the hunks of the diff, in their order", () => {
    fc.assert(
      fc.property(index, hunks, (old, found) => {
        expect(align(old, found, required).map(({ path, key, hunk }) => ({ path, key, hunk }))).toEqual(found);
      }),
    );
  });

  test("the same diff again changes nothing, and the result is deterministic", () => {
    fc.assert(
      fc.property(index, hunks, (old, found) => {
        const once = align(old, found, required);
        expect(align(once, found, required)).toEqual(once);
        expect(align(old, found, required)).toEqual(once);
      }),
    );
  });

  test("unchanged hunks keep status and evidence, even if their lines move", () => {
    fc.assert(
      fc.property(index, fc.nat(50), (old, shift) => {
        const shifted = old.map(({ path, key, hunk }) => ({
          path,
          key,
          hunk: { ...hunk, start_line: hunk.start_line + shift, end_line: hunk.end_line + shift },
        }));
        const next = align(old, shifted, required);
        expect(next.map(({ hunk: _hunk, ...rest }) => rest)).toEqual(old.map(({ hunk: _hunk, ...rest }) => rest));
      }),
    );
  });

  test("a hunk is passed only if it was passed in the same file with the same text", () => {
    fc.assert(
      fc.property(index, hunks, (old, found) => {
        const seen = new Set(old.map(({ path, key, status }) => `${path} ${key} ${status}`));
        for (const entry of align(old, found, required)) {
          if (entry.status !== "pending") expect(seen).toContain(`${entry.path} ${entry.key} ${entry.status}`);
          else expect(entry.evidence_refs === undefined || seen.has(`${entry.path} ${entry.key} pending`)).toBe(true);
        }
      }),
    );
  });

  test("new and changed hunks are pending, those of a reverted file are removed", () => {
    const before = passed(align([], [one("a", "x", 1), one("a", "y", 9), one("b", "z", 1)], required));
    const after = align(before, [one("a", "x", 1), one("a", "Y", 9), one("a", "w", 20)], required);
    expect(statuses(after)).toEqual(["a x passed", "a Y pending", "a w pending"]);
    expect(after[1]).not.toHaveProperty("evidence_refs");
    expect(after[1]).not.toHaveProperty("last_run_at");
  });

  test("of hunks with equal text, none takes the status of another", () => {
    const [first, second] = align([], [one("a", "x", 1), one("a", "x", 9)], required);
    const half = [...passed([first!]), second!];
    // An equal number is matched in order. With one fewer or more, the match is ambiguous.
    expect(statuses(align(half, [one("a", "x", 3), one("a", "x", 12)], required))).toEqual(["a x passed", "a x pending"]);
    expect(statuses(align(half, [one("a", "x", 9)], required))).toEqual(["a x pending"]);
    expect(statuses(align(passed(half), [one("a", "x", 9)], required))).toEqual(["a x passed"]);
    expect(
      statuses(
        align(
          passed(half),
          [1, 5, 9].map((line) => one("a", "x", line)),
          required,
        ),
      ),
    ).toEqual(Array(3).fill("a x pending"));
  });

  test("a pass only counts for the tests that were required at that time", () => {
    const before = passed(align([], [one("a", "x", 1)], required));
    expect(statuses(align(before, [one("a", "x", 1)], () => ["full:another"]))).toEqual(["a x pending"]);
  });
});
