import fc from "fast-check";
import { expect, test } from "vitest";
import { DECISION_STATUSES, SETTLED_CONFIDENCES } from "./decision.ts";
import { dependencyCycle } from "./dependencies.ts";
import { appendBench } from "./testing/append-bench.ts";
import { CONFIDENCE_RULES, DECISION_ACTIONS, DECISION_TRANSITIONS, haltingDecisions, isAllowed, settledConfidence } from "./rules.ts";

test("[CRI-090] a user may always act; without one, canonical and blocking entries are closed and delegated ones need a failure", () => {
  for (const confidence of SETTLED_CONFIDENCES)
    for (const action of ["supersede", "end"] as const) {
      const authority = CONFIDENCE_RULES[confidence][action];
      expect(isAllowed(authority, { byUser: true, failure: false })).toBe(true);
      expect(isAllowed(authority, { byUser: false, failure: false })).toBe(confidence === "inferred" || confidence === "provisional");
      expect(isAllowed(authority, { byUser: false, failure: true })).toBe(confidence !== "canonical" && confidence !== "blocking");
    }
});

test("[CRI-093] no status leads back, and an ended entry takes no action", () => {
  for (const status of DECISION_STATUSES) expect(DECISION_TRANSITIONS[status]).not.toContain("active");
  expect([DECISION_ACTIONS.superseded, DECISION_ACTIONS.invalidated]).toEqual([[], []]);
});

test("[CRI-092] a blocking entry halts the protocol while it is active", () => {
  const entries = [
    { status: "active", confidence: "blocking" },
    { status: "superseded", confidence: "blocking" },
    { status: "active", confidence: "suspended" },
    { status: "active", confidence: "canonical" },
  ] as const;
  expect(haltingDecisions(entries)).toEqual([entries[0]]);
});

test("a suspended entry without its earlier confidence counts as provisional", () => {
  expect(settledConfidence({ confidence: "suspended", suspended_from: undefined })).toBe("provisional");
});

const graph = fc
  .integer({ min: 1, max: 8 })
  .chain((size) => fc.array(fc.uniqueArray(fc.integer({ min: 0, max: size - 1 }), { maxLength: 3 }), { minLength: size, maxLength: size }))
  .map((edges) => edges.map((dependencies, index) => ({ id: `n${index}`, dependencies: dependencies.map((to) => `n${to}`) })));

test("a cycle is found exactly when entries cannot be put in order, and its path consists of dependencies", () => {
  fc.assert(
    fc.property(graph, (entries) => {
      const left = new Map(entries.map(({ id, dependencies }) => [id, dependencies]));
      for (let changed = true; changed;) {
        const free = [...left].filter(([, dependencies]) => dependencies.every((id) => !left.has(id)));
        for (const [id] of free) left.delete(id);
        changed = free.length > 0;
      }
      const cycle = dependencyCycle(entries);
      expect(cycle === null).toBe(left.size === 0);
      const of = new Map(entries.map(({ id, dependencies }) => [id, dependencies]));
      for (const [index, id] of (cycle ?? []).slice(0, -1).entries()) expect(of.get(id)).toContain(cycle?.[index + 1]);
      if (cycle !== null) expect(cycle[0]).toBe(cycle.at(-1));
    }),
  );
});

test("a chain longer than the call stack is checked", () => {
  const entries = Array.from({ length: 50_000 }, (_, index) => ({ id: `n${index}`, dependencies: [`n${index + 1}`] }));
  expect(dependencyCycle(entries)).toBeNull();
  expect(dependencyCycle([...entries, { id: "n50000", dependencies: ["n0"] }])).toHaveLength(50_002);
});

test("the benchmark of appending reports a time for each size", async () => {
  const timings = await appendBench([5, 20]);
  expect(timings.map(({ entries }) => entries)).toEqual([5, 20]);
  for (const { msPerAppend } of timings) expect(msPerAppend).toBeGreaterThan(0);
});
