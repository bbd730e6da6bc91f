import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Policy } from "../../config/policy.ts";
import { claimBasis, claimsOf } from "./claims.ts";
import { collisionError, fingerprintOf, reportOn, scanCollisions } from "./collisions.ts";
import type { Plan } from "./schema.ts";
import { pairwiseCollisions } from "./testing/pairwise.ts";
import { planOf, policyOf } from "./testing/samples.ts";

const NONE = { openapi: "none", events: "none", db: "none" } as const;
const plan = (feature_id: string, files: Partial<Plan["files"]> = {}, contracts: Partial<Plan["contracts"]> = {}) =>
  planOf({ feature_id, files: { create: [], modify: [], delete: [], ...files }, contracts: { ...NONE, ...contracts } });

/** The database's look-up, in memory. */
function report(one: Plan, others: readonly Plan[], policy: Policy) {
  const mine = new Set(claimsOf(one, policy).map((claim) => JSON.stringify(claim)));
  const theirs = others.flatMap((other) =>
    claimsOf(other, policy)
      .filter((claim) => mine.has(JSON.stringify(claim)))
      .map((claim) => ({ ...claim, feature_id: other.feature_id })),
  );
  return reportOn(one.feature_id, theirs);
}
const scan = (plans: readonly Plan[], policy: Policy) =>
  scanCollisions(plans.flatMap((one) => claimsOf(one, policy).map((claim) => ({ ...claim, feature_id: one.feature_id }))));
const items = (one: Plan, others: readonly Plan[], policy = policyOf()) =>
  report(one, others, policy)?.collisions.map(({ type, resource }) => `${type} ${resource}`) ?? [];

describe("[FEA-104]", () => {
  test("the same path in any two lists is a file collision", () => {
    const lists = ["create", "modify", "delete"] as const;
    for (const one of lists) {
      for (const two of lists)
        expect(items(plan("a", { [one]: ["src/x.ts"] }), [plan("b", { [two]: ["./src//x.ts"] })])).toEqual(["file src/x.ts"]);
    }
    expect(items(plan("a", { modify: ["src/x.ts"] }), [plan("b", { modify: ["src/y.ts"] })])).toEqual([]);
  });

  test("files in the same protected or exclusive area are an area collision, even if they differ", () => {
    const policy = policyOf({ protected_areas: ["libs/core"], exclusive_areas: ["db", "libs/core"] });
    expect(items(plan("a", { create: ["libs/core/x"] }), [plan("b", { modify: ["libs/core/y"] })], policy)).toEqual(["area libs/core"]);
    expect(items(plan("a", { create: ["db/1.sql"] }), [plan("b", { create: ["db/2.sql"] })], policy)).toEqual(["area db"]);
    expect(items(plan("a", { create: ["DB/1.sql"] }), [plan("b", { create: ["db/2.sql"] })], policy)).toEqual(["area db"]);
    expect(items(plan("a", { create: ["db/1.sql"] }), [plan("b", { create: ["libs/core/y"] })], policy)).toEqual([]);
    expect(items(plan("a", { create: ["db2/1.sql"] }), [plan("b", { create: ["db2/2.sql"] })], policy)).toEqual([]);
  });
});

test("[FEA-105] contracts collide if both change; migrations count once and under their own name", () => {
  expect(items(plan("a", {}, { openapi: "modify" }), [plan("b", {}, { openapi: "modify" })])).toEqual(["contract openapi"]);
  expect(items(plan("a", {}, { events: "modify" }), [plan("b", {}, { events: "modify" })])).toEqual(["contract events"]);
  expect(items(plan("a", {}, { openapi: "modify" }), [plan("b", {}, { events: "modify" })])).toEqual([]);
  expect(items(plan("a", {}, { db: "migration" }), [plan("b", {}, { db: "migration" })])).toEqual(["migration db"]);
  expect(items(plan("a", {}, { db: "migration" }), [plan("b")])).toEqual([]);
});

test("the policy fields that claims depend on are their basis, and nothing else", () => {
  const bases = [{}, { exclusive_areas: ["db"] }, { protected_areas: ["db"] }, { "path_rules.matching": "glob" }].map((changes) =>
    claimBasis(policyOf(changes)),
  );
  expect(new Set(bases).size).toBe(4);
  expect(claimBasis(policyOf({ collision_policy: "block", "locks.lease_ttl_seconds": 1 }))).toBe(bases[0]);
});

test("[FEA-110] the report names items, owners, a fingerprint and next actions", () => {
  const policy = policyOf({ exclusive_areas: ["db"] });
  const found = report(
    plan("m", { modify: ["src/x.ts", "db/1"] }, { openapi: "modify" }),
    [plan("z", { modify: ["src/x.ts"] }), plan("a", { create: ["db/2"] }, { openapi: "modify" })],
    policy,
  );
  expect(found).toEqual({
    collisions: [
      { type: "area", resource: "db", features: ["a", "m"] },
      { type: "contract", resource: "openapi", features: ["a", "m"] },
      { type: "file", resource: "src/x.ts", features: ["m", "z"] },
    ],
    conflicting_feature_ids: ["a", "z"],
    fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    recommended_actions: ["acquire_lock", "create_shared_prerequisite_feature", "revise_plan"],
  });
  if (found === null) return;
  expect(collisionError("m", found, policy)).toMatchObject({
    code: "collision_detected",
    details: {
      ...found,
      suggested_next_actions: [expect.stringContaining("lock"), expect.stringContaining("merges first"), expect.stringContaining("Revise")],
    },
  });
  expect(collisionError("m", found, policyOf({ collision_policy: "block" }))).toMatchObject({
    code: "blocked_by_collision_policy",
    details: { suggested_next_actions: expect.arrayContaining([expect.stringContaining("Wait")]) },
  });
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
const sorted = (list: readonly unknown[] | undefined) => list?.map((item) => JSON.stringify(item)).toSorted();

test("[FEA-110] a pair's report lists what both plans share, in either order", () => {
  fc.assert(
    fc.property(anyPlan("a"), anyPlan("b"), (a, b) => {
      const [first, second] = [report(a, [b], policy), report(b, [a], policy)];
      const expected = pairwiseCollisions(a, b, policy);
      expect(sorted(first?.collisions ?? [])).toEqual(sorted(expected));
      expect(first?.collisions).toEqual(second?.collisions);
      expect(first?.fingerprint).toBe(second?.fingerprint);
      expect(first?.fingerprint).toBe(expected.length === 0 ? undefined : fingerprintOf(expected.toReversed()));
      expect(first?.conflicting_feature_ids).toEqual(first === null ? undefined : ["b"]);
    }),
  );
});

test("two collisions that differ in anything have different fingerprints", () => {
  fc.assert(
    fc.property(anyPlan("a"), anyPlan("b"), anyPlan("c"), (a, b, c) => {
      const [one, two] = [report(a, [b], policy), report(a, [c], policy)];
      if (one === null || two === null) return;
      expect(one.fingerprint).not.toBe(two.fingerprint);
    }),
  );
});

test("report and scan do not depend on the order of the accepted plans", () => {
  fc.assert(
    fc.property(
      fc.tuple(anyPlan("a"), anyPlan("b"), anyPlan("c"), anyPlan("d")),
      fc.shuffledSubarray([1, 2, 3], { minLength: 3 }),
      (plans, order) => {
        const [first, ...rest] = plans;
        const shuffled = order.map((index) => plans[index]!);
        expect(report(first, shuffled, policy)).toEqual(report(first, rest, policy));
        expect(scan([...shuffled, first], policy)).toEqual(scan(plans, policy));
      },
    ),
  );
});

test("[FEA-102] the scan lists what every two plans share, once", () => {
  fc.assert(
    fc.property(fc.tuple(anyPlan("a"), anyPlan("b"), anyPlan("c")), ([a, b, c]) => {
      const expected = [...pairwiseCollisions(a, b, policy), ...pairwiseCollisions(a, c, policy), ...pairwiseCollisions(b, c, policy)];
      expect(sorted(scan([c, a, b], policy))).toEqual(sorted(expected));
    }),
  );
});
