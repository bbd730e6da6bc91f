import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openPlanBench, planFor, type Parts, type PlanBench } from "../../testing/plan-bench.ts";

let bench: PlanBench;
beforeEach(async () => {
  bench = await openPlanBench({ policy: { collision_policy: "block" } });
  for (const id of ["a", "b", "c"]) await bench.addFeature(id);
});
afterEach(() => bench.close());

const X: Parts = { files: { modify: ["src/a.ts"] } };
const blocked = { code: "blocked_by_collision_policy" };
const events = async () =>
  (await bench.db.selectFrom("events").select(["name", "payload"]).orderBy("seq").execute()).map(({ name, payload }) => ({
    name,
    ...(JSON.parse(payload) as { event: Record<string, unknown>; actor: unknown }),
  }));

describe("[FEA-109] a lock of another feature", () => {
  const api: Parts = { contracts: { openapi: "modify" } };

  test("is waited for under block; when it is free the kernel takes it and accepts the plan", async () => {
    await bench.acquire("a", "openapi");
    await expect(bench.submit("b", api)).rejects.toMatchObject({
      ...blocked,
      details: { collisions: [{ type: "lock", resource: "openapi", features: ["a", "b"] }] },
    });
    expect((await bench.queue()).map(({ required_resources }) => required_resources)).toEqual([["openapi"]]);
    const { status_reason } = await bench.row("b");
    await bench.release("a", "openapi");
    const row = await bench.row("b");
    expect(row).toMatchObject({ status: "building", gates: '{"plan":"pass"}' });
    expect(row.status_reason).not.toBe(status_reason);
    expect(bench.indexFile()).toMatchObject({ locks: { openapi: "b" }, blocked: [], blocked_queue: [] });
    expect((await events()).filter(({ name }) => name === "plan.accept_queued")).toMatchObject([
      { actor: { type: "system", id: "queue" }, event: { feature_id: "b", locks: ["openapi"] } },
    ]);
    expect(existsSync(join(bench.root, ".slipway/features/b/plan.json"))).toBe(true);
  });

  test("is taken with the others in the global order, all or none", async () => {
    await bench.acquire("a", "events");
    await bench.acquire("c", "openapi");
    await expect(bench.submit("b", { contracts: { openapi: "modify", events: "modify", db: "migration" } })).rejects.toMatchObject(blocked);
    expect((await bench.queue())[0]?.required_resources).toEqual(["db_migrations", "events", "openapi"]);
    await bench.release("a", "events");
    expect(bench.indexFile().locks).toMatchObject({ events: null, db_migrations: null, openapi: "c" });
    await bench.release("c", "openapi");
    expect(bench.indexFile().locks).toMatchObject({ events: "b", db_migrations: "b", openapi: "b" });
  });

  test("[FEA-115] a free lock that is not held still fails with lock_not_held", async () => {
    await expect(bench.submit("b", api)).rejects.toMatchObject({ code: "lock_not_held", details: { conflicting_feature_ids: [] } });
    expect(await bench.row("b")).toMatchObject({ status: "planning", version: 1 });
  });

  test("that the feature itself takes in the meantime is no longer required", async () => {
    await bench.submit("a", X);
    await expect(bench.submit("b", { ...X, ...api })).rejects.toMatchObject(blocked);
    expect((await bench.queue())[0]?.required_resources).toEqual(["openapi"]);
    await bench.acquire("b", "openapi");
    expect((await bench.queue())[0]?.required_resources).toEqual([]);
    await bench.release("b", "openapi");
    expect((await bench.queue())[0]?.required_resources).toEqual(["openapi"]);
  });

  test("that another feature takes over is waited for under the new holder", async () => {
    await bench.acquire("a", "openapi");
    await expect(bench.submit("b", api)).rejects.toMatchObject(blocked);
    bench.clock.time += 61_000;
    await bench.acquire("c", "openapi");
    expect((await bench.row("b")).status_reason).toBe("the plan waits for c: lock openapi");
    await bench.release("c", "openapi");
    expect((await bench.row("b")).status).toBe("building");
  });

  test("an expired lease is not waited for: the queue takes it over", async () => {
    await bench.acquire("a", "openapi");
    await expect(bench.submit("b", api)).rejects.toMatchObject(blocked);
    bench.clock.time += 61_000;
    const before = (await bench.row("a")).version;
    await bench.submit("c", { files: { modify: ["src/c.ts"] } });
    expect(bench.indexFile()).toMatchObject({ locks: { openapi: "b" }, blocked_queue: [] });
    expect((await bench.row("a")).version).toBe(before + 1);
  });
});

test("features that wait for each other are reported, and a person is asked", async () => {
  await bench.submit("a", { files: { modify: ["src/a.ts"] } });
  await bench.submit("b", { files: { modify: ["src/b.ts"] } });
  await expect(bench.update("a", 1, { files: { modify: ["src/a.ts", "src/b.ts"] } })).rejects.toMatchObject({
    ...blocked,
    details: { requires_human: false },
  });
  await expect(bench.update("b", 1, { files: { modify: ["src/a.ts", "src/b.ts"] } })).rejects.toMatchObject({
    ...blocked,
    details: { circle: ["b", "a", "b"], requires_human: true },
  });
  expect((await bench.row("b")).status_reason).toContain("they wait for each other (b → a → b)");
});

test("a submission with a stale version is refused as a whole", async () => {
  await bench.submit("a", X);
  const stale = { ...bench.call(), expectedVersion: 9 };
  await expect(bench.kernel.features.submitPlan(stale, { feature_id: "b", plan_json: planFor("b", X) })).rejects.toMatchObject({
    code: "version_conflict",
  });
  expect(await bench.queue()).toEqual([]);
});
