import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FeatureStatus } from "../feature/status.ts";
import { openPlanBench, planFor, type Parts, type PlanBench } from "../testing/plan-bench.ts";

let bench: PlanBench;
beforeEach(async () => {
  bench = await openPlanBench();
  for (const id of ["one", "two"]) await bench.addFeature(id);
  await bench.submit("one", { files: { modify: ["src/a.ts"] } });
});
afterEach(() => bench.close());

const MORE: Parts = { files: { modify: ["src/a.ts", "src/b.ts"] }, revision_reason: "b is needed too" };
const force = (id: string, status: FeatureStatus) => bench.db.updateTable("features").set({ status }).where("id", "=", id).execute();

test("[FEA-077] [FEA-032] an accepted update raises the plan's version by exactly 1 and replaces it", async () => {
  const before = await bench.row("one");
  const plan = await bench.update("one", 1, MORE);
  expect(plan).toMatchObject({ plan_version: 2, revision_of: 1, revision_reason: "b is needed too" });
  expect(await bench.kernel.features.plan("one")).toEqual(plan);
  expect(JSON.parse(readFileSync(join(bench.root, ".slipway/features/one/plan.json"), "utf8"))).toEqual(plan);
  expect(await bench.row("one")).toEqual({ ...before, version: before.version + 1, updated_at: expect.any(Number) });
  await bench.update("one", 2, MORE);
  expect((await bench.kernel.features.plan("one")).plan_version).toBe(3);
});

test("[FEA-077] a stale expected version is a conflict with both numbers, and changes nothing", async () => {
  await bench.update("one", 1, MORE);
  const before = await bench.row("one");
  await expect(bench.update("one", 1, MORE)).rejects.toMatchObject({
    code: "version_conflict",
    details: { expected_plan_version: 1, actual_plan_version: 2 },
  });
  expect(await bench.row("one")).toEqual(before);
  expect((await bench.kernel.features.plan("one")).plan_version).toBe(2);
});

test.each<[string, Parts, string]>([
  ["with another plan_version", { plan_version: 3 }, "policy_violation"],
  ["with the same plan_version", { plan_version: 1 }, "policy_violation"],
  ["that does not say which plan it revises", { revision_of: undefined }, "policy_violation"],
  ["that revises another", { revision_of: 2 }, "policy_violation"],
  ["not of the schema", { summary: "no" }, "schema_validation_failed"],
  ["outside its areas", { allowed_areas: ["db"] }, "policy_violation"],
  ["that needs a lock it does not hold", { contracts: { events: "modify" } }, "lock_not_held"],
  ["that collides with another feature", { files: { modify: ["src/c.ts"] } }, "collision_detected"],
])("[FEA-077] an update %s leaves plan, claims and state unchanged", async (_what, parts, code) => {
  await bench.submit("two", { files: { modify: ["src/c.ts"] } });
  const [state, plan] = [await bench.row("one"), await bench.kernel.features.plan("one")];
  await expect(bench.update("one", 1, { ...MORE, ...parts })).rejects.toMatchObject({ code });
  expect(await bench.row("one")).toEqual(state);
  expect(await bench.kernel.features.plan("one")).toEqual(plan);
});

test("without an accepted plan there is nothing to update", async () => {
  await expect(bench.update("two", 1, MORE)).rejects.toMatchObject({
    code: "plan_not_found",
    details: { suggested_next_actions: [expect.stringContaining("plan.submit")] },
  });
  const unversioned = { feature_id: "one", plan_json: planFor("one", MORE) };
  await expect(bench.kernel.features.updatePlan(bench.call(), unversioned as never)).rejects.toMatchObject({
    code: "schema_validation_failed",
    details: { violations: [{ pointer: "/expected_plan_version" }] },
  });
});

test("claims that an update releases are free for others, and those it adds are not", async () => {
  await bench.update("one", 1, { files: { modify: ["src/b.ts"] } });
  await expect(bench.submit("two", { files: { modify: ["src/b.ts"] } })).rejects.toMatchObject({ code: "collision_detected" });
  await bench.submit("two", { files: { modify: ["src/a.ts"] } });
  await expect(bench.update("one", 2, MORE)).rejects.toMatchObject({ code: "collision_detected" });
});

describe("the feature's status", () => {
  test.each<FeatureStatus>(["building", "qa", "ready_to_merge"])("%s stays: an update does not change what is built", async (status) => {
    await force("one", status);
    await bench.update("one", 1, MORE);
    expect((await bench.row("one")).status).toBe(status);
  });

  test("[FEA-125] an accepted update moves a feature from planning to building", async () => {
    await force("one", "planning");
    await bench.update("one", 1, MORE);
    expect(await bench.row("one")).toMatchObject({ status: "building", status_reason: "the plan was accepted" });
  });

  test("a feature that is blocked for another reason stays blocked, with its new plan", async () => {
    await bench.kernel.features.changeStatus(bench.call(), { feature_id: "one", to: "blocked", reason: "a person has to look" });
    await bench.update("one", 1, MORE);
    expect(await bench.row("one")).toMatchObject({ status: "blocked", status_reason: "a person has to look" });
    expect((await bench.kernel.features.plan("one")).plan_version).toBe(2);
  });

  test.each<FeatureStatus>(["merged", "failed"])("a feature that is %s accepts no plan", async (status) => {
    await force("one", status);
    await expect(bench.update("one", 1, MORE)).rejects.toMatchObject({ code: "invalid_status_transition" });
  });
});

test("results under another profile do not count for the new one", async () => {
  await bench.db.updateTable("features").set({ gates: '{"plan":"pass","fast":"pass"}' }).where("id", "=", "one").execute();
  await bench.update("one", 1, MORE);
  expect((await bench.row("one")).gates).toBe('{"plan":"pass","fast":"pass"}');
  await bench.update("one", 2, { ...MORE, gate_profile: "strict" });
  expect(await bench.row("one")).toMatchObject({ gates: '{"plan":"pass"}', gate_profile: "strict" });
});
