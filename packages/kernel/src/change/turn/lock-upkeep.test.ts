import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { heldLocks, renewWithin } from "./locks/store.ts";
import { readState } from "../views/state-reads.ts";
import { openPlanBench, type PlanBench, type PlanBenchOptions } from "../testing/plan-bench.ts";

let bench: PlanBench;
let sleeps: number[];
let onSleep: (count: number) => Promise<unknown> | void;

async function open(options: PlanBenchOptions = {}): Promise<void> {
  bench = await openPlanBench({
    async sleep(ms, signal) {
      sleeps.push(ms);
      bench.clock.time += ms;
      await onSleep(sleeps.length);
      signal?.throwIfAborted();
    },
    ...options,
  });
  for (const id of ["one", "two"]) await bench.addFeature(id);
}
beforeEach(async () => {
  [sleeps, onSleep] = [[], () => undefined];
  await open();
});
afterEach(() => bench.close());

const held = async (id: string) => (await readState(bench.kernel, bench.db, id, bench.clock.time)).locks.held;
const acquire = (feature_id: string) => bench.acquire(feature_id, "openapi");

describe("[FEA-112] the heartbeat", () => {
  const beat = async (
    beats: number,
    between: (count: number) => Promise<unknown> | void = () => undefined,
    fence?: () => Promise<void>,
  ) => {
    const stop = new AbortController();
    const lost: string[] = [];
    sleeps = [];
    onSleep = async (count) => {
      await between(count);
      if (count === beats) stop.abort();
    };
    await bench.kernel.features.keepLocks({
      features: () => ["one"],
      signal: stop.signal,
      onLost: ({ resource }, { code }) => lost.push(`${resource} ${code}`),
      ...(fence && { fence }),
    });
    return lost;
  };

  test("keeps the locks of its features beyond their term, also in the index, without journal or state", async () => {
    await acquire("one");
    await bench.acquire("two", "events");
    const [state, index] = [await bench.row("one"), bench.indexFile()];
    const events = await bench.db.selectFrom("events").select("seq").execute();
    expect(await beat(9)).toEqual([]);
    expect(bench.clock.time).toBeGreaterThan(1_000_000 + 2 * 60_000);
    expect([await held("one"), await held("two")]).toEqual([["openapi"], []]);
    expect(await bench.row("one")).toEqual(state);
    expect(await bench.db.selectFrom("events").select("seq").execute()).toEqual(events);
    const after = bench.indexFile();
    expect(after.version).toBe(index.version + 8);
    expect(Date.parse(after.lock_leases["openapi"]?.expires_at ?? "")).toBeGreaterThan(bench.clock.time);
    bench.clock.time += 60_000;
    expect(await held("one")).toEqual([]);
  });

  test("[FEA-113] reports which lease it has lost", async () => {
    await acquire("one");
    const lost = await beat(3, async (count) => {
      if (count !== 1) return;
      bench.clock.time += 60_000;
      await bench.acquire("two", "openapi");
    });
    expect(lost).toEqual(["openapi stale_lock_reclaimed"]);
    expect(await held("two")).toEqual(["openapi"]);
  });

  test("renews nothing for a process that may no longer write", async () => {
    await acquire("one");
    const { SlipwayError } = await import("@slipway/durable/errors");
    await beat(4, undefined, () => Promise.reject(new SlipwayError("lease_lost", "taken over")));
    expect(await held("one")).toEqual([]);
  });
});

describe("[FEA-130] at recovery", () => {
  test("expired leases are released and their features blocked with a reason; valid ones are kept", async () => {
    await acquire("one");
    await bench.submit("one", { contracts: { openapi: "modify" } });
    bench.clock.time += 30_000;
    await bench.acquire("two", "events");
    bench.clock.time += 30_000;
    expect(await bench.kernel.features.reclaimStale(bench.call())).toMatchObject([{ resource: "openapi", former_holder: "one" }]);
    expect(await bench.row("one")).toMatchObject({ status: "blocked", status_reason: expect.stringContaining("openapi") });
    expect(await bench.row("two")).toMatchObject({ status: "planning" });
    expect(bench.indexFile()).toMatchObject({ active: ["two"], blocked: ["one"], locks: { openapi: null, events: "two" } });
    expect(await bench.kernel.features.reclaimStale(bench.call())).toEqual([]);
  });

  test("a blocked feature keeps its reason, an ended one its status, and a deleted one causes no error", async () => {
    for (const id of ["three", "four"]) await bench.addFeature(id);
    await acquire("one");
    await bench.acquire("three", "events");
    await bench.acquire("four", "db_migrations");
    await bench.kernel.features.changeStatus(bench.call(), { feature_id: "one", to: "blocked", reason: "a question is open" });
    await bench.db.updateTable("features").set({ status: "merged" }).where("id", "=", "three").execute();
    await bench.db.deleteFrom("features").where("id", "=", "four").execute();
    bench.clock.time += 60_000;
    expect(await bench.kernel.features.reclaimStale(bench.call())).toHaveLength(3);
    expect(await bench.row("one")).toMatchObject({ status: "blocked", status_reason: "a question is open" });
    expect(await bench.row("three")).toMatchObject({ status: "merged" });
    expect(bench.indexFile().lock_leases).toEqual({});
  });

  test("if the run resumes the feature, its lock is reserved while it is free: waiting features do not overtake", async () => {
    await bench.close();
    await open({ policy: { collision_policy: "block" } });
    await acquire("one");
    await bench.submit("one", { contracts: { openapi: "modify" } });
    await expect(bench.submit("two", { contracts: { openapi: "modify" } })).rejects.toMatchObject({ code: "blocked_by_collision_policy" });
    const [before] = await heldLocks(bench.db, "one");
    bench.clock.time += 60_000;
    const call = bench.call();
    expect(await bench.kernel.features.reclaimStale(call, ["one", "nobody"])).toMatchObject([{ former_holder: "one" }]);
    expect(await bench.row("one")).toMatchObject({ status: "blocked", status_reason: expect.stringContaining("openapi expired") });
    expect(await bench.row("two")).toMatchObject({ status: "blocked" });
    // Not valid until it is taken again; the old lease is void.
    expect(await bench.kernel.features.standing("one")).toMatchObject({ lost: ["openapi"] });
    await expect(bench.db.transaction().execute((tx) => renewWithin(tx, before!, 1, bench.clock.time))).rejects.toMatchObject({
      code: "stale_lock_reclaimed",
    });
    await acquire("one");
    expect(await bench.kernel.features.standing("one")).toMatchObject({ lost: [] });
    expect((await heldLocks(bench.db, "one"))[0]?.token).toBe(before!.token + 1);
  });

  test("an ended feature, or one that no run resumes, keeps nothing: the next waiting feature gets the lock", async () => {
    await bench.close();
    await open({ policy: { collision_policy: "block" } });
    await acquire("one");
    await bench.submit("one", { contracts: { openapi: "modify" } });
    await expect(bench.submit("two", { contracts: { openapi: "modify" } })).rejects.toMatchObject({ code: "blocked_by_collision_policy" });
    await bench.db.updateTable("features").set({ status: "failed" }).where("id", "=", "one").execute();
    bench.clock.time += 60_000;
    await bench.kernel.features.reclaimStale(bench.call(), ["one"]);
    expect((await heldLocks(bench.db))[0]).toMatchObject({ resource: "openapi", holder: "two" });
  });
});
