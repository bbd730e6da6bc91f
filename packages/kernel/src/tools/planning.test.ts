import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ACTOR_ROLES, DEFAULT_RBAC, type ActorRole, type Tool } from "../config/rbac.ts";
import { openPlanBench, planFor, type PlanBench } from "../change/testing/plan-bench.ts";
import { collisionsTools } from "./collisions.ts";
import { callTool } from "./dispatch.ts";
import { locksTools } from "./locks.ts";
import { planTools } from "./plan.ts";
import { served } from "./testing/sample-tools.ts";

const tools = served([...planTools, ...locksTools, ...collisionsTools]);
let bench: PlanBench;
beforeEach(async () => {
  bench = await openPlanBench({ policy: { "locks.acquire_behavior": "fail" } });
  for (const id of ["one", "two"]) await bench.addFeature(id);
});
afterEach(() => bench.close());

async function use(name: Tool, args: Record<string, unknown> = {}, role: ActorRole = "orchestrator", signal?: AbortSignal) {
  const bugs: unknown[] = [];
  const credential = { role, actorId: null, feature: null };
  const given = { actor_type: role, actor_id: "kim", ...args };
  const envelope = await callTool(bench.kernel, tools, credential, name, given, {
    onBug: (error) => bugs.push(error),
    ...(signal && { signal: () => signal }),
  });
  expect(bugs).toEqual([]);
  return envelope;
}
const submit = (feature_id: string, parts = {}, more = {}) =>
  use("plan.submit", { feature_id, plan_json: planFor(feature_id, { files: { modify: ["src/a.ts"] }, ...parts }), ...more }, "planner");

describe("plan tools", () => {
  test("[FEA-076] plan.get returns the plan that plan.submit accepted, and later plan.update's revision", async () => {
    expect(await use("plan.get", { feature_id: "one" })).toMatchObject({ ok: false, error: { code: "plan_not_found" } });
    const accepted = await submit("one");
    expect(accepted).toMatchObject({ ok: true, data: { plan_version: 1, plan: { feature_id: "one", gate_profile: "default" } } });
    expect(await use("plan.get", { feature_id: "one" }, "qa")).toEqual(accepted);
    const plan_json = planFor("one", { plan_version: 2, revision_of: 1, files: { modify: ["src/b.ts"] } });
    const updated = await use("plan.update", { feature_id: "one", expected_plan_version: 1, plan_json }, "planner");
    expect(updated).toMatchObject({ ok: true, data: { plan_version: 2 } });
    expect(await use("plan.get", { feature_id: "one" })).toEqual(updated);
  });

  test("[FEA-015] plan.update needs expected_plan_version, but not expected_version", async () => {
    await submit("one");
    const plan_json = planFor("one", { plan_version: 2, revision_of: 1 });
    expect(await use("plan.update", { feature_id: "one", plan_json })).toMatchObject({
      error: { code: "schema_validation_failed", details: { violations: [{ pointer: "/expected_plan_version", rule: "required" }] } },
    });
    expect(await use("plan.update", { feature_id: "one", plan_json, expected_plan_version: 1, expected_version: 1 })).toMatchObject({
      error: { code: "version_conflict", details: { expected_version: 1, actual_version: 2 } },
    });
    expect(await use("plan.update", { feature_id: "one", plan_json, expected_plan_version: 1, expected_version: 2 })).toMatchObject({
      ok: true,
    });
  });

  test("[FEA-051] a path outside the repository has its own code, and a wrong field is named", async () => {
    expect(await submit("one", { files: { create: ["/etc/passwd"] } })).toMatchObject({ error: { code: "path_out_of_bounds" } });
    expect(await submit("one", { surprise: true })).toMatchObject({
      error: { code: "schema_validation_failed", details: { violations: [{ pointer: "/plan_json/surprise" }] } },
    });
  });

  test("[FEA-164] a collision names the other feature", async () => {
    await submit("one");
    expect(await submit("two")).toMatchObject({
      ok: false,
      error: { code: "collision_detected", details: { conflicting_feature_ids: ["one"], retryable: false, requires_human: false } },
    });
  });

  test("[FEA-174] the same operation id is performed once", async () => {
    const first = await submit("one", {}, { operation_id: "mine" });
    expect(await submit("one", {}, { operation_id: "mine" })).toEqual(first);
    expect((await bench.row("one")).version).toBe(2);
  });
});

describe("lock tools", () => {
  const acquire = (feature_id: string, more = {}) => use("locks.acquire", { resource: "openapi", feature_id, ...more });

  test("[FEA-100] acquire returns lease_id and expires_at, release frees the lock", async () => {
    expect(await acquire("one", { operation_id: "mine" })).toEqual({
      ok: true,
      data: {
        resource: "openapi",
        feature_id: "one",
        lease_id: expect.any(String),
        expires_at: new Date(bench.clock.time + 60_000).toISOString(),
        fencing_token: 1,
      },
    });
    expect(await use("locks.release", { resource: "openapi", feature_id: "one" })).toEqual({
      ok: true,
      data: { resource: "openapi", feature_id: "one" },
    });
    expect(await use("locks.release", { resource: "openapi", feature_id: "one" })).toMatchObject({ error: { code: "lock_not_held" } });
  });

  test("[FEA-114] a lock of another feature is a conflict that names the holder", async () => {
    await acquire("one");
    expect(await acquire("two", { wait_timeout_seconds: 5 })).toMatchObject({
      error: { code: "lock_conflict", details: { conflicting_feature_ids: ["one"], retryable: true } },
    });
  });

  test("[FEA-113] a lease that was taken over is noted in the evidence", async () => {
    await acquire("one");
    bench.clock.time += 60_000;
    expect(await acquire("two")).toMatchObject({
      ok: true,
      data: { fencing_token: 2 },
      evidence: { notes: [{ code: "stale_lock_reclaimed", message: expect.stringContaining('"one"') }] },
    });
  });

  test("a resource that is not in the policy is refused", async () => {
    expect(await use("locks.acquire", { resource: "everything", feature_id: "one" })).toMatchObject({
      error: { code: "policy_violation" },
    });
  });
});

test("[FEA-102] collisions.scan lists the accepted plans, for every role", async () => {
  await submit("two");
  for (const role of ACTOR_ROLES)
    expect(await use("collisions.scan", {}, role)).toEqual({ ok: true, data: { features: ["two"], pairs: [] } });
});

test("[FEA-102] and lists what two of them collide in under the current policy", async () => {
  await submit("two");
  await submit("one", { files: { modify: ["src/b.ts"] } });
  await bench.close();
  bench = await openPlanBench({ root: bench.root, policy: { exclusive_areas: ["src"] } });
  expect(await use("collisions.scan")).toEqual({
    ok: true,
    data: { features: ["one", "two"], pairs: [{ features: ["one", "two"], collisions: [{ type: "area", resource: "src" }] }] },
  });
});

test.each([...planTools, ...locksTools, ...collisionsTools].flatMap(({ name }) => ACTOR_ROLES.map((role) => [name, role] as const)))(
  "[FEA-063] [FEA-066] %s is open to %s exactly when the matrix says so",
  async (name, role) => {
    const envelope = await use(name, { feature_id: "one", resource: "openapi", expected_plan_version: 1, plan_json: {} }, role);
    const forbidden = !envelope.ok && envelope.error.code === "forbidden_tool_for_role";
    expect(forbidden).toBe(!DEFAULT_RBAC[role].includes(name));
  },
);
