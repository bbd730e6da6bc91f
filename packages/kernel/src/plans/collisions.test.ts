import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { collisionError, findCollisions, fingerprintOf, scanCollisions } from "./collisions.ts";
import type { Plan } from "./schema.ts";
import { planOf, policyOf } from "./testing/samples.ts";

const NONE = { openapi: "none", events: "none", db: "none" } as const;
const plan = (feature_id: string, files: Partial<Plan["files"]> = {}, contracts: Partial<Plan["contracts"]> = {}) =>
  planOf({ feature_id, files: { create: [], modify: [], delete: [], ...files }, contracts: { ...NONE, ...contracts } });
const items = (one: Plan, others: readonly Plan[], policy = policyOf()) =>
  findCollisions(one, others, policy)?.collisions.map(({ type, resource }) => `${type} ${resource}`) ?? [];

describe("[FEA-104]", () => {
  test("the same path in any two lists is a file collision", () => {
    const lists = ["create", "modify", "delete"] as const;
    for (const one of lists) {
      for (const two of lists)
        expect(items(plan("a", { [one]: ["src/x.ts"] }), [plan("b", { [two]: ["./src//x.ts"] })])).toEqual(["file src/x.ts"]);
    }
    expect(items(plan("a", { modify: ["src/x.ts"] }), [plan("b", { modify: ["src/y.ts"] })])).toEqual([]);
  });

  test("files in the same protected or exclusive area are an area collision, however different", () => {
    const policy = policyOf({ protected_areas: ["libs/core"], exclusive_areas: ["db", "libs/core"] });
    expect(items(plan("a", { create: ["libs/core/x"] }), [plan("b", { modify: ["libs/core/y"] })], policy)).toEqual(["area libs/core"]);
    expect(items(plan("a", { create: ["db/1.sql"] }), [plan("b", { create: ["db/2.sql"] })], policy)).toEqual(["area db"]);
    expect(items(plan("a", { create: ["db/1.sql"] }), [plan("b", { create: ["libs/core/y"] })], policy)).toEqual([]);
    expect(items(plan("a", { create: ["db2/1.sql"] }), [plan("b", { create: ["db2/2.sql"] })], policy)).toEqual([]);
  });
});

test("[FEA-105] contracts collide when both change, migrations once and under their own name", () => {
  expect(items(plan("a", {}, { openapi: "modify" }), [plan("b", {}, { openapi: "modify" })])).toEqual(["contract openapi"]);
  expect(items(plan("a", {}, { events: "modify" }), [plan("b", {}, { events: "modify" })])).toEqual(["contract events"]);
  expect(items(plan("a", {}, { openapi: "modify" }), [plan("b", {}, { events: "modify" })])).toEqual([]);
  expect(items(plan("a", {}, { db: "migration" }), [plan("b", {}, { db: "migration" })])).toEqual(["migration db"]);
  expect(items(plan("a", {}, { db: "migration" }), [plan("b")])).toEqual([]);
});

test("a feature does not collide with its own accepted plan", () => {
  expect(findCollisions(plan("a", { modify: ["x"] }), [plan("a", { modify: ["x"] })], policyOf())).toBeNull();
});

test("[FEA-110] the report names items, owners, a fingerprint and what to do", () => {
  const policy = policyOf({ exclusive_areas: ["db"] });
  const report = findCollisions(
    plan("m", { modify: ["src/x.ts", "db/1"] }, { openapi: "modify" }),
    [plan("z", { modify: ["src/x.ts"] }), plan("a", { create: ["db/2"] }, { openapi: "modify" })],
    policy,
  );
  expect(report).toEqual({
    collisions: [
      { type: "area", resource: "db", features: ["a", "m"] },
      { type: "contract", resource: "openapi", features: ["a", "m"] },
      { type: "file", resource: "src/x.ts", features: ["m", "z"] },
    ],
    conflicting_feature_ids: ["a", "z"],
    fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    recommended_actions: ["acquire_lock", "create_shared_prerequisite_feature", "revise_plan"],
  });
  const mine = plan("m");
  expect(report === null ? null : collisionError(mine, report, policy)).toMatchObject({
    code: "collision_detected",
    details: {
      ...report,
      suggested_next_actions: [expect.stringContaining("lock"), expect.stringContaining("merges first"), expect.stringContaining("Revise")],
    },
  });
  expect(report === null ? null : collisionError(mine, report, policyOf({ collision_policy: "block" }))?.code).toBe(
    "blocked_by_collision_policy",
  );
  const one = plan("a", { modify: ["src/x.ts"] }, { db: "migration" });
  const two = plan("b", { delete: ["src/x.ts"] }, { db: "migration" });
  expect(findCollisions(one, [two], policy)?.fingerprint).toBe(findCollisions(two, [one], policy)?.fingerprint);
  expect(findCollisions(one, [two], policy)?.fingerprint).not.toBe(
    findCollisions(plan("a", { modify: ["src/x.ts"] }), [two], policy)?.fingerprint,
  );
});

const file = fc.constantFrom("src/a", "src/b", "db/1", "db/2", "libs/core/x");
const anyPlan = (feature_id: string) =>
  fc
    .record({
      files: fc.record({
        create: fc.array(file, { maxLength: 2 }),
        modify: fc.array(file, { maxLength: 2 }),
        delete: fc.array(file, { maxLength: 2 }),
      }),
      contracts: fc.record({
        openapi: fc.constantFrom("none", "modify"),
        events: fc.constantFrom("none", "modify"),
        db: fc.constantFrom("none", "migration"),
      }),
    })
    .map((parts) => planOf({ feature_id, ...parts }));
const policy = policyOf({ protected_areas: ["libs/core"], exclusive_areas: ["db"] });

test("a pair's report is the same whoever comes second", () => {
  fc.assert(
    fc.property(anyPlan("a"), anyPlan("b"), (a, b) => {
      const [first, second] = [findCollisions(a, [b], policy), findCollisions(b, [a], policy)];
      expect(first?.collisions).toEqual(second?.collisions);
      expect(first?.fingerprint).toBe(second?.fingerprint);
      expect(first?.conflicting_feature_ids).toEqual(first === null ? undefined : ["b"]);
    }),
  );
});

test("neither the report nor the scan depends on the order of the accepted plans", () => {
  fc.assert(
    fc.property(
      fc.tuple(anyPlan("a"), anyPlan("b"), anyPlan("c"), anyPlan("d")),
      fc.shuffledSubarray([1, 2, 3], { minLength: 3 }),
      (plans, order) => {
        const [first, ...rest] = plans;
        const shuffled = order.map((index) => plans[index]!);
        expect(findCollisions(first, shuffled, policy)).toEqual(findCollisions(first, rest, policy));
        expect(scanCollisions([...shuffled, first], policy)).toEqual(scanCollisions(plans, policy));
      },
    ),
  );
});

test("the scan holds what every pair's report holds, once", () => {
  fc.assert(
    fc.property(fc.tuple(anyPlan("a"), anyPlan("b"), anyPlan("c")), ([a, b, c]) => {
      const pairs = [findCollisions(a, [b], policy), findCollisions(a, [c], policy), findCollisions(b, [c], policy)];
      const all = pairs.flatMap((report) => report?.collisions ?? []);
      const scan = scanCollisions([c, a, b], policy);
      expect(scan).toHaveLength(all.length);
      expect(fingerprintOf(scan)).toBe(fingerprintOf(all));
    }),
  );
});
