import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openPlanBench, planFor, type Parts, type PlanBench } from "../testing/plan-bench.ts";

let bench: PlanBench;
beforeEach(async () => {
  bench = await openPlanBench();
  for (const id of ["one", "two"]) await bench.addFeature(id);
});
afterEach(() => bench.close());

const A: Parts = { files: { modify: ["src/a.ts"] } };
const untouched = { status: "planning", version: 1, gates: "{}", status_reason: "" };

describe("plan.submit", () => {
  test("[FEA-075] [FEA-029] stores the plan, passes its gate and starts building, as one version", async () => {
    const plan = await bench.submit("one", { ...A, gate_profile: undefined });
    expect(plan).toMatchObject({ plan_version: 1, gate_profile: "default" });
    expect(await bench.row("one")).toMatchObject({ status: "building", version: 2, gates: '{"plan":"pass"}' });
    expect(await bench.kernel.features.plan("one")).toEqual(plan);
    await expect(bench.submit("one", A)).rejects.toMatchObject({
      code: "version_conflict",
      details: { suggested_next_actions: [expect.stringContaining("plan.update with expected_plan_version 1")] },
    });
    expect((await bench.row("one")).version).toBe(2);
  });

  test.each<[string, Parts, string]>([
    ["not of the schema", { surprise: 1 }, "schema_validation_failed"],
    ["that leaves the repository", { files: { create: ["../outside.ts"] } }, "path_out_of_bounds"],
    ["that reaches into git", { files: { create: ["src/.git/config"] } }, "path_out_of_bounds"],
    ["of another feature", { ...A, feature_id: "two" }, "policy_violation"],
    [
      "that loosens a gate",
      { ...A, verification_overrides: { modes: { full: { steps: [{ name: "none", cmd: ["true"] }] } } } },
      "invalid_override_precedence",
    ],
    ["of version 2", { ...A, plan_version: 2 }, "policy_violation"],
    ["that revises something", { ...A, revision_of: 1 }, "policy_violation"],
    ["in its own forbidden area", { ...A, forbidden_areas: ["src"] }, "policy_violation"],
    ["outside its areas", { ...A, allowed_areas: ["db"] }, "policy_violation"],
    ["that creates an existing file", { files: { create: ["src/a.ts"] } }, "policy_violation"],
    ["that changes a missing file", { files: { modify: ["src/z.ts"] } }, "policy_violation"],
    ["for a folder as a file", { files: { modify: ["src"] } }, "policy_violation"],
    ["for an unknown profile", { ...A, gate_profile: "lax" }, "unknown_gate_profile_or_mode"],
    ["for a contract whose lock it does not hold", { contracts: { openapi: "modify" } }, "lock_not_held"],
    ["for a protected area without its lock", { files: { modify: ["libs/core/x.ts"] } }, "lock_not_held"],
  ])("[FEA-074] a plan %s is not stored, and neither gate nor version changes", async (_what, parts, code) => {
    await expect(bench.submit("one", parts)).rejects.toMatchObject({ code });
    expect(await bench.row("one")).toMatchObject(untouched);
    await expect(bench.kernel.features.plan("one")).rejects.toMatchObject({ code: "plan_not_found" });
    expect(existsSync(join(bench.root, ".slipway/features/one/plan.json"))).toBe(false);
  });

  test("[FEA-026] the plan names the feature of the call in canonical form, its summary and its base", async () => {
    await bench.addFeature("main");
    for (const parts of [
      { feature_id: "One" },
      { feature_id: "-one" },
      { plan_version: 0 },
      { plan_version: 1.5 },
      { summary: "four" },
      { base_ref: "" },
    ])
      await expect(bench.submit("one", { ...A, ...parts })).rejects.toMatchObject({ code: "schema_validation_failed" });
    await expect(bench.submit("one", { ...A, feature_id: "two" })).rejects.toMatchObject({ code: "policy_violation" });
    await expect(bench.submit("main", A)).rejects.toMatchObject({
      code: "policy_violation",
      message: expect.stringContaining("base branch"),
    });
    await bench.submit("one", { ...A, summary: "fives", base_ref: "main" });
  });

  test("[FEA-050] paths are canonical before any rule applies", async () => {
    await bench.submit("one", { files: { modify: ["./src//a.ts"] } });
    expect((await bench.kernel.features.plan("one")).files.modify).toEqual(["src/a.ts"]);
    await expect(bench.submit("two", { files: { modify: ["src/../src/a.ts"] } })).rejects.toMatchObject({ code: "collision_detected" });
  });

  test("[FEA-014] [FEA-015] an expected version is optional, and enforced if given", async () => {
    const submit = (expectedVersion: number) =>
      bench.kernel.features.submitPlan({ ...bench.call(), expectedVersion }, { feature_id: "one", plan_json: planFor("one", A) });
    await expect(submit(7)).rejects.toMatchObject({ code: "version_conflict", details: { expected_version: 7, actual_version: 1 } });
    expect(await bench.row("one")).toMatchObject(untouched);
    await submit(1);
    expect(await bench.row("one")).toMatchObject({ status: "building", version: 2 });
  });

  test("a feature that does not exist, has ended, or is blocked for another reason accepts no plan", async () => {
    await expect(bench.submit("nobody", A)).rejects.toMatchObject({ code: "feature_not_found" });
    await bench.fail("one");
    await expect(bench.submit("one", A)).rejects.toMatchObject({ code: "invalid_status_transition", details: { from: "failed" } });
    await bench.kernel.features.changeStatus(bench.call(), { feature_id: "two", to: "blocked", reason: "a person has to look" });
    await expect(bench.submit("two", A)).rejects.toMatchObject({
      code: "invalid_status_transition",
      details: { suggested_next_actions: [expect.stringContaining("Unblock")] },
    });
    expect((await bench.row("two")).status_reason).toBe("a person has to look");
  });

  test("a plan with very many files is checked completely", async () => {
    const create = Array.from({ length: 3_000 }, (_, index) => `src/${"long".repeat(10)}/file-${index}.ts`);
    await bench.submit("one", { files: { create, modify: ["src/a.ts"] } });
    await expect(bench.submit("two", { files: { create: create.slice(2_990) } })).rejects.toMatchObject({
      code: "collision_detected",
      details: { conflicting_feature_ids: ["one"] },
    });
  });
});

describe("[FEA-106] under collision_policy reject", () => {
  test("a colliding plan fails, is not stored, and the feature keeps its status", async () => {
    await bench.submit("one", A);
    const before = await bench.kernel.features.index();
    await expect(bench.submit("two", { files: { delete: ["src/a.ts"] } })).rejects.toMatchObject({
      code: "collision_detected",
      details: {
        collisions: [{ type: "file", resource: "src/a.ts", features: ["one", "two"] }],
        conflicting_feature_ids: ["one"],
        fingerprint: expect.any(String),
        recommended_actions: expect.arrayContaining(["revise_plan"]),
        requires_human: false,
      },
    });
    expect(await bench.row("two")).toMatchObject(untouched);
    expect(await bench.kernel.features.index()).toEqual(before);
    expect(await bench.queue()).toEqual([]);
  });

  test("[FEA-104] plans of ended features do not collide", async () => {
    await bench.submit("one", A);
    await bench.fail("one");
    expect(await bench.submit("two", A)).toMatchObject({ feature_id: "two" });
    // Otherwise a look-up would get slower with every former feature.
    expect(await bench.db.selectFrom("plan_claims").select("feature_id").distinct().execute()).toEqual([{ feature_id: "two" }]);
  });

  test("[FEA-115] a lock of another feature is reported with its holder, along with the collision", async () => {
    await bench.acquire("one", "openapi");
    await bench.submit("one", { contracts: { openapi: "modify" } });
    await expect(bench.submit("two", { contracts: { openapi: "modify" } })).rejects.toMatchObject({
      code: "lock_not_held",
      details: { resources: ["openapi"], conflicting_feature_ids: ["one"] },
    });
  });

  test("areas that the policy adds later apply to plans accepted before", async () => {
    await bench.submit("one", { files: { modify: ["src/a.ts"] } });
    await bench.close();
    bench = await openPlanBench({ root: bench.root, policy: { exclusive_areas: ["db", "src"] } });
    await expect(bench.submit("two", { files: { modify: ["src/b.ts"] } })).rejects.toMatchObject({
      code: "collision_detected",
      details: { collisions: [{ type: "area", resource: "src" }] },
    });
  });
});

describe("[FEA-102] collisions.scan", () => {
  test("is empty while the checks keep plans apart, and lists collisions under a new policy", async () => {
    await bench.addFeature("gone");
    await bench.submit("gone", { files: { modify: ["src/d.ts"] } });
    await bench.fail("gone");
    await bench.submit("two", { files: { modify: ["src/a.ts", "src/c.ts"] } });
    await bench.submit("one", { files: { modify: ["src/b.ts"] } });
    expect(await bench.kernel.features.collisions()).toEqual({ features: ["one", "two"], pairs: [] });
    const operations = await bench.db.selectFrom("operations").select("id").execute();
    await bench.close();
    bench = await openPlanBench({ root: bench.root, policy: { exclusive_areas: ["src"] } });
    expect(await bench.kernel.features.collisions()).toEqual({
      features: ["one", "two"],
      pairs: [{ features: ["one", "two"], collisions: [{ type: "area", resource: "src" }] }],
    });
    expect(await bench.db.selectFrom("operations").select("id").execute()).toEqual(operations);
  });
});
