import { statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { STATUSES } from "../../feature/status.ts";
import { openPlanBench, type PlanBench } from "../../testing/plan-bench.ts";
import { indexContent, indexSchema } from "./index-value.ts";

let bench: PlanBench;
beforeEach(async () => {
  bench = await openPlanBench({ policy: { collision_policy: "block" } });
});
afterEach(() => bench.close());

const note = (feature_id: string) => bench.kernel.features.note(bench.call(), { feature_id, role: "qa", text: "seen" });
const path = () => join(bench.root, ".slipway/features/index.json");

test("[FEA-037] it has every required part, every configured resource, and nothing else", async () => {
  expect(await bench.kernel.features.index()).toBeNull();
  await bench.addFeature("one");
  await bench.acquire("one", "events");
  const index = bench.indexFile();
  expect(Object.keys(index).toSorted()).toEqual(
    ["version", "updated_at", "active", "blocked", "merged", "locks", "lock_leases", "blocked_queue"].toSorted(),
  );
  expect(Object.keys(index.locks)).toEqual(["db_migrations", "events", "openapi", "protected:libs/core"]);
  expect(index.lock_leases).toEqual({ events: { holder: "one", lease_id: expect.any(String), expires_at: expect.any(String) } });
  expect(index).toEqual(await bench.kernel.features.index());
  expect(indexSchema.safeParse({ ...index, locks: undefined }).success).toBe(false);
  expect(indexSchema.safeParse({ ...index, surprise: 1 }).success).toBe(false);
});

test.each(STATUSES)("[FEA-038] a feature that is %s is in its list and in no other", (status) => {
  const { active, blocked, merged } = indexContent({ features: [{ id: "one", status }], leases: [], queue: [], resources: [] });
  const lists = { active, blocked, merged };
  const expected = {
    planning: "active",
    building: "active",
    qa: "active",
    ready_to_merge: "active",
    blocked: "blocked",
    merged: "merged",
    failed: "",
  };
  for (const [name, list] of Object.entries(lists)) expect(list).toEqual(name === expected[status] ? ["one"] : []);
});

test("a lock whose resource is no longer in the policy is still shown while it is held", () => {
  const leases = [{ resource: "old", holder: "one", leaseId: "l", token: 1, expiresAt: 0 }];
  expect(indexContent({ features: [], leases, queue: [], resources: ["new"] }).locks).toEqual({ new: null, old: "one" });
});

describe("[FEA-014] its version", () => {
  test("grows by exactly 1 with each operation that changes the index, however much, and with no other", async () => {
    const versions: number[] = [];
    const see = async () => versions.push(bench.indexFile().version);
    for (const id of ["one", "two"]) await bench.addFeature(id);
    await note("one");
    await see();
    await note("one");
    await see();
    await bench.acquire("one", "events", "openapi");
    await see();
    await bench.submit("one", { contracts: { openapi: "modify" } });
    await see();
    await expect(bench.submit("two", { contracts: { openapi: "modify" } })).rejects.toMatchObject({ code: "blocked_by_collision_policy" });
    await see();
    await expect(bench.release("two", "openapi")).rejects.toMatchObject({ code: "lock_not_held" });
    await see();
    // Ends one feature, releases two locks, takes one for the other and starts it: one change of the index.
    await bench.fail("one");
    await see();
    expect(versions).toEqual([1, 1, 2, 2, 3, 3, 4]);
    expect(bench.indexFile()).toMatchObject({ active: ["two"], blocked: [], locks: { openapi: "two", events: null }, blocked_queue: [] });
  });

  test("continues after a restart, and a new resource in the policy is a change", async () => {
    await bench.addFeature("one");
    await note("one");
    await bench.close();
    bench = await openPlanBench({
      root: bench.root,
      policy: { "locks.resources": ["openapi", "events", "db_migrations", "protected:libs/core", "new"] },
    });
    await note("one");
    expect(bench.indexFile()).toMatchObject({ version: 2, locks: { new: null } });
  });
});

describe("[FEA-010] [FEA-011] its file", () => {
  test("is written only when the index has changed", async () => {
    await bench.addFeature("one");
    await note("one");
    const { ino } = statSync(path());
    await note("one");
    expect(statSync(path()).ino).toBe(ino);
    await bench.acquire("one", "events");
    expect(statSync(path()).ino).not.toBe(ino);
  });

  test("that is missing or was edited is rewritten at start-up, and is never read", async () => {
    await bench.addFeature("one");
    await bench.acquire("one", "events");
    const index = bench.indexFile();
    writeFileSync(path(), JSON.stringify({ ...index, version: 99, locks: {} }));
    expect(await bench.kernel.features.index()).toEqual(index);
    await bench.kernel.features.repairProjections();
    expect(bench.indexFile()).toEqual(index);
    unlinkSync(path());
    await bench.close();
    bench = await openPlanBench({ root: bench.root });
    await bench.kernel.features.repairProjections();
    expect(bench.indexFile()).toEqual(index);
  });
});
