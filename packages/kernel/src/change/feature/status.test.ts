import { expect, test } from "vitest";
import { assertTransition, ENDED, STATUSES, TRANSITIONS, type EntryFacts } from "./status.ts";

const everything: EntryFacts = { planAccepted: true, fastPassed: true, fullPassed: true, reason: "why", reasonChanged: true, landed: true };

/** Written by hand from the matrix, so that the table is not tested against itself. */
const LEGAL = new Set([
  "planning building",
  "planning blocked",
  "planning failed",
  "building qa",
  "building blocked",
  "building failed",
  "qa ready_to_merge",
  "qa blocked",
  "qa failed",
  "blocked planning",
  "blocked building",
  "blocked qa",
  "blocked failed",
  "ready_to_merge merged",
  "ready_to_merge blocked",
  "ready_to_merge failed",
]);

const pairs = STATUSES.flatMap((from) => STATUSES.filter((to) => to !== from).map((to) => ({ from, to })));

test.each(pairs)("[FEA-129] $from to $to follows the matrix", ({ from, to }) => {
  expect(pairs).toHaveLength(42);
  if (LEGAL.has(`${from} ${to}`)) expect(() => assertTransition(from, to, everything)).not.toThrow();
  else
    expect(() => assertTransition(from, to, everything)).toThrow(
      expect.objectContaining({ code: "invalid_status_transition", details: expect.objectContaining({ from, to }) }),
    );
});

test("a retry adds exactly three transitions to the matrix, all from failed", () => {
  const allowed = (facts: EntryFacts) => pairs.filter(({ from, to }) => !throws(() => assertTransition(from, to, facts)));
  const added = allowed({ ...everything, retried: true }).filter(({ from, to }) => !LEGAL.has(`${from} ${to}`));
  expect(allowed(everything)).toHaveLength(LEGAL.size);
  expect(added).toEqual(["planning", "building", "qa"].map((to) => ({ from: "failed", to })));
});

test("the ended statuses are those that only a retry leaves", () => {
  const left = STATUSES.filter((from) => pairs.some((pair) => pair.from === from && LEGAL.has(`${pair.from} ${pair.to}`)));
  expect([...ENDED, ...left].toSorted()).toEqual(STATUSES.toSorted());
});

function throws(work: () => void): boolean {
  try {
    work();
    return false;
  } catch {
    return true;
  }
}

test.each([
  ["planning", "building", "planAccepted"],
  ["building", "qa", "fastPassed"],
  ["qa", "ready_to_merge", "fullPassed"],
  ["blocked", "building", "planAccepted"],
  ["blocked", "qa", "fastPassed"],
  ["blocked", "planning", "reasonChanged"],
  ["ready_to_merge", "merged", "landed"],
  ["failed", "building", "planAccepted"],
  ["failed", "qa", "fastPassed"],
  ["failed", "planning", "retried"],
] as const)("%s to %s needs %s by the kernel's own records", (from, to, fact) => {
  expect(() => assertTransition(from, to, { ...everything, retried: true, [fact]: false })).toThrow(
    expect.objectContaining({ code: "invalid_status_transition" }),
  );
});

test("blocked and failed need a reason", () => {
  for (const to of ["blocked", "failed"] as const)
    expect(() => assertTransition("qa", to, { ...everything, reason: "" })).toThrow("a reason is needed");
  expect(TRANSITIONS.merged).toEqual([]);
});
