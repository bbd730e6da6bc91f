import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { abandonOperation } from "../../feature/abandon.ts";
import { openPlanBench, type Parts, type PlanBench } from "../../testing/plan-bench.ts";

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

describe("[FEA-107] a colliding plan under collision_policy block", () => {
  test("fails, blocks its feature and leaves one entry; nothing else is stored", async () => {
    await bench.submit("a", X);
    bench.clock.time = Date.UTC(2026, 0, 2);
    await expect(bench.submit("b", X)).rejects.toMatchObject({
      ...blocked,
      details: { conflicting_feature_ids: ["a"], collisions: [{ type: "file", resource: "src/a.ts" }], retryable: false },
    });
    expect(await bench.row("b")).toMatchObject({
      status: "blocked",
      version: 2,
      gates: "{}",
      status_reason: "the plan waits for a: file src/a.ts",
      collisions: expect.stringContaining('"resource":"src/a.ts"'),
    });
    expect(bench.indexFile()).toMatchObject({
      active: ["a", "c"],
      blocked: ["b"],
      blocked_queue: [
        {
          feature_id: "b",
          plan_version: 1,
          detected_at: "2026-01-02T00:00:00.000Z",
          collision_fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
          required_resources: [],
        },
      ],
    });
    await expect(bench.kernel.features.plan("b")).rejects.toMatchObject({ code: "plan_not_found" });
    expect(existsSync(join(bench.root, ".slipway/features/b/plan.json"))).toBe(false);
    expect((await events()).at(-1)).toMatchObject({ name: "plan.submit", event: { feature_id: "b", queued: expect.any(String) } });
  });

  test("repeating the call returns the same refusal, and does nothing", async () => {
    await bench.submit("a", X);
    const first = await bench.submit("b", X, "the-same").catch((error: unknown) => error);
    const [version, count] = [(await bench.row("b")).version, (await events()).length];
    const second = await bench.submit("b", X, "the-same").catch((error: unknown) => error);
    expect(second).toEqual(first);
    expect([(await bench.row("b")).version, (await events()).length]).toEqual([version, count]);
  });

  test("the same collision again adds no entry and keeps its position; another collision gets a new position", async () => {
    await bench.submit("a", X);
    await expect(bench.submit("b", X)).rejects.toMatchObject(blocked);
    const [entry] = await bench.queue();
    const { version } = await bench.row("b");
    bench.clock.time += 1_000;
    await expect(bench.submit("b", { ...X, summary: "said in other words" })).rejects.toMatchObject(blocked);
    expect(await bench.queue()).toEqual([entry]);
    expect((await bench.row("b")).version).toBe(version);
    await bench.submit("c", { files: { modify: ["src/c.ts"] } });
    await expect(bench.submit("b", { files: { modify: ["src/a.ts", "src/c.ts"] } })).rejects.toMatchObject(blocked);
    const [now, ...more] = await bench.queue();
    expect(more).toEqual([]);
    expect(now?.detected_at).not.toBe(entry?.detected_at);
    expect(now?.collision_fingerprint).not.toBe(entry?.collision_fingerprint);
  });

  test("a revised plan that collides with nothing is accepted at once", async () => {
    await bench.submit("a", X);
    await expect(bench.submit("b", X)).rejects.toMatchObject(blocked);
    await bench.submit("b", { files: { modify: ["src/b.ts"] } });
    expect(await bench.row("b")).toMatchObject({ status: "building", collisions: '{"files":[],"areas":[],"contracts":[]}' });
    expect(await bench.queue()).toEqual([]);
  });

  test("a plan with any other error is refused, not queued", async () => {
    await bench.submit("a", X);
    await expect(bench.submit("b", { ...X, gate_profile: "lax" })).rejects.toMatchObject({ code: "unknown_gate_profile_or_mode" });
    expect(await bench.row("b")).toMatchObject({ status: "planning", version: 1 });
  });
});

describe("[FEA-108] queued plans are reconsidered", () => {
  const wait = async () => {
    await bench.submit("a", X);
    await expect(bench.submit("b", X)).rejects.toMatchObject(blocked);
  };

  test("when the colliding plan is updated, in the same transaction", async () => {
    await wait();
    await bench.update("a", 1, { files: { modify: ["src/d.ts"] } });
    expect((await bench.row("b")).status).toBe("building");
  });

  test("when the colliding feature has failed", async () => {
    await wait();
    await bench.fail("a");
    expect((await bench.row("b")).status).toBe("building");
  });

  test("when its run is cancelled: with the next operation, because that one knows the policy", async () => {
    await wait();
    await bench.db.updateTable("features").set({ run_id: "other" }).where("id", "!=", "a").execute();
    await bench.records.door.perform(abandonOperation, { type: "person", id: "kim" }, "abandon", { run_id: "run", reason: "cancelled" });
    await bench.kernel.features.note(bench.call(), { feature_id: "c", role: "qa", text: "unrelated" });
    expect((await bench.row("b")).status).toBe("building");
  });

  test("oldest first, then by name; an accepted plan collides with the others", async () => {
    await bench.submit("a", X);
    for (const id of ["e", "d", "c", "b"]) if (!["b", "c"].includes(id)) await bench.addFeature(id);
    for (const id of ["e", "c", "b"]) {
      if (id === "b") bench.clock.time += 5;
      await expect(bench.submit(id, X)).rejects.toMatchObject(blocked);
    }
    bench.clock.time -= 10;
    await expect(bench.submit("d", X)).rejects.toMatchObject(blocked);
    const order: string[] = [];
    for (let left = await bench.queue(); left.length > 0; left = await bench.queue()) {
      const [first] = left;
      const holder = (await bench.kernel.features.collisions()).features.at(-1);
      await bench.fail(holder ?? "");
      order.push(first?.feature_id ?? "");
      expect((await bench.row(first?.feature_id ?? "")).status).toBe("building");
    }
    expect(order).toEqual(["d", "c", "e", "b"]);
  });

  test("after a restart as before", async () => {
    await wait();
    await bench.close();
    bench = await openPlanBench({ root: bench.root, policy: { collision_policy: "block" } });
    expect((await bench.queue()).map(({ feature_id }) => feature_id)).toEqual(["b"]);
    await bench.fail("a");
    expect((await bench.row("b")).status).toBe("building");
  });

  test("and show what they wait for now", async () => {
    await wait();
    await bench.submit("c", { files: { modify: ["src/c.ts"] } });
    await expect(bench.submit("b", { files: { modify: ["src/a.ts", "src/c.ts"] } })).rejects.toMatchObject(blocked);
    const { version } = await bench.row("b");
    const [before] = await bench.queue();
    await bench.fail("a");
    expect(await bench.row("b")).toMatchObject({
      status: "blocked",
      status_reason: "the plan waits for c: file src/c.ts",
      version: version + 1,
    });
    const [after] = await bench.queue();
    expect(after).toEqual({ ...before, collision_fingerprint: expect.any(String) });
    expect(after?.collision_fingerprint).not.toBe(before?.collision_fingerprint);
  });

  test("a plan that is accepted in the meantime is shown to those that now collide with it", async () => {
    await bench.submit("a", X);
    await expect(bench.submit("b", { files: { modify: ["src/a.ts", "src/c.ts"] } })).rejects.toMatchObject(blocked);
    const [before] = await bench.queue();
    await bench.submit("c", { files: { modify: ["src/c.ts"] } });
    expect((await bench.row("b")).status_reason).toBe("the plan waits for a, c: file src/a.ts, file src/c.ts");
    const [after] = await bench.queue();
    expect(after?.collision_fingerprint).not.toBe(before?.collision_fingerprint);
  });

  test("an update waits while the old plan stays valid, and is accepted in its turn", async () => {
    await bench.submit("a", X);
    await bench.submit("b", { files: { modify: ["src/b.ts"] } });
    await expect(bench.update("b", 1, { files: { modify: ["src/a.ts"] } })).rejects.toMatchObject(blocked);
    expect(await bench.row("b")).toMatchObject({ status: "blocked", gates: '{"plan":"pass"}' });
    expect((await bench.kernel.features.plan("b")).plan_version).toBe(1);
    await expect(bench.submit("c", { files: { modify: ["src/b.ts"] } })).rejects.toMatchObject(blocked);
    await bench.fail("a");
    expect((await bench.kernel.features.plan("b")).plan_version).toBe(2);
    // The claims that the update released let the next plan in, in the same transaction.
    expect((await bench.row("c")).status).toBe("building");
  });

  test("claims that an accepted update released also count for entries considered before it", async () => {
    await bench.submit("a", X);
    await bench.submit("b", { files: { modify: ["src/b.ts"] } });
    await expect(bench.submit("c", { files: { modify: ["src/b.ts"] } })).rejects.toMatchObject(blocked);
    bench.clock.time += 5;
    await expect(bench.update("b", 1, { files: { modify: ["src/a.ts"] } })).rejects.toMatchObject(blocked);
    expect((await bench.queue()).map(({ feature_id }) => feature_id)).toEqual(["c", "b"]);
    await bench.fail("a");
    expect([(await bench.row("b")).status, (await bench.row("c")).status]).toEqual(["building", "building"]);
  });

  test("a feature that was unblocked otherwise no longer waits", async () => {
    await wait();
    await bench.kernel.features.changeStatus(bench.call(), { feature_id: "b", to: "planning", reason: "plan anew" });
    expect(await bench.queue()).toEqual([]);
    await bench.fail("a");
    expect((await bench.row("b")).status).toBe("planning");
  });

  test("an entry of a feature that is not blocked is dropped without an error", async () => {
    await wait();
    await bench.db.updateTable("features").set({ status: "qa" }).where("id", "=", "b").execute();
    await bench.fail("a");
    expect((await bench.row("b")).status).toBe("qa");
    expect(await bench.queue()).toEqual([]);
  });

  test("a plan that the current policy refuses keeps its position and shows why", async () => {
    await wait();
    await bench.close();
    bench = await openPlanBench({ root: bench.root, policy: { collision_policy: "block", protected_areas: ["src"] } });
    await bench.fail("a");
    expect(await bench.row("b")).toMatchObject({ status: "blocked", status_reason: expect.stringContaining("src is protected") });
    const { version } = await bench.row("b");
    await bench.fail("c");
    expect((await bench.row("b")).version).toBe(version);
    expect(await bench.queue()).toHaveLength(1);
    await bench.close();
    bench = await openPlanBench({ root: bench.root, policy: { collision_policy: "block" } });
    await bench.kernel.features.reclaimStale(bench.call());
    expect((await bench.row("b")).status).toBe("building");
  });
});
