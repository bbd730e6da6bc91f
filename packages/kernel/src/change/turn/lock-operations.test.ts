import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readState } from "../views/state-reads.ts";
import { assertLocksHeld } from "./lock-operations.ts";
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
const acquire = (feature_id: string, more: { wait_timeout_seconds?: number; signal?: AbortSignal; operationId?: string } = {}) =>
  bench.kernel.features.acquireLock(
    bench.call(more.operationId),
    {
      resource: "openapi",
      feature_id,
      ...(more.wait_timeout_seconds !== undefined && { wait_timeout_seconds: more.wait_timeout_seconds }),
    },
    more.signal,
  );

describe("locks.acquire", () => {
  test("[FEA-100] records the holder in index and state, one version each, and returns id and expiry of the lease", async () => {
    const { leases } = await acquire("one", { operationId: "taking" });
    expect(leases).toEqual([{ resource: "openapi", holder: "one", leaseId: "taking", token: 1, expiresAt: bench.clock.time + 60_000 }]);
    expect(await held("one")).toEqual(["openapi"]);
    expect((await bench.row("one")).version).toBe(2);
    expect(bench.indexFile()).toMatchObject({
      version: 1,
      locks: { openapi: "one", events: null, db_migrations: null, "protected:libs/core": null },
      lock_leases: { openapi: { holder: "one", lease_id: "taking", expires_at: new Date(bench.clock.time + 60_000).toISOString() } },
    });
  });

  test("[FEA-100] taking an own lock again renews it: the same lease, a later expiry, no new state", async () => {
    const [first] = (await acquire("one")).leases;
    bench.clock.time += 10_000;
    const [second] = (await acquire("one")).leases;
    expect(second).toEqual({ ...first, expiresAt: (first?.expiresAt ?? 0) + 10_000 });
    expect((await bench.row("one")).version).toBe(2);
    expect(bench.indexFile().version).toBe(2);
  });

  test("an expired own lease is taken again, which the state shows", async () => {
    await acquire("one");
    bench.clock.time += 60_000;
    expect(await held("one")).toEqual([]);
    await acquire("one");
    expect(await held("one")).toEqual(["openapi"]);
    expect((await bench.row("one")).version).toBe(3);
  });

  test("[FEA-100] an unlisted resource and an ended feature are refused", async () => {
    await expect(bench.acquire("one", "everything")).rejects.toMatchObject({
      code: "policy_violation",
      message: expect.stringContaining('"everything"'),
      details: { file: "slipway/policy.yaml", field: "locks.resources" },
    });
    await bench.fail("one");
    await expect(acquire("one")).rejects.toMatchObject({ code: "policy_violation", message: expect.stringContaining("failed") });
    await expect(acquire("nobody")).rejects.toMatchObject({ code: "feature_not_found" });
    expect(bench.indexFile().lock_leases).toEqual({});
  });

  test("[FEA-114] waits with growing pauses and fails with lock_conflict after the call's timeout", async () => {
    await acquire("one");
    await expect(acquire("two", { wait_timeout_seconds: 2 })).rejects.toMatchObject({
      code: "lock_conflict",
      details: { conflicting_feature_ids: ["one"], retryable: true },
    });
    expect(sleeps).toEqual([200, 400, 800, 600]);
    expect(await held("two")).toEqual([]);
    expect((await bench.row("two")).version).toBe(1);
  });

  test("[FEA-114] without its own timeout it waits as long as policy and supervisor settings say", async () => {
    await bench.close();
    await open({ policy: { "locks.default_wait_timeout_seconds": 1, "locks.lease_ttl_seconds": 1000 } });
    await acquire("one");
    await expect(acquire("two")).rejects.toMatchObject({ code: "lock_conflict" });
    expect(sleeps.reduce((sum, ms) => sum + ms, 0)).toBe(1_000);
    await bench.close();
    sleeps = [];
    const supervisor = { lock_wait_timeout_seconds: 3, lock_acquire_backoff_seconds: { initial_seconds: 1, factor: 1 } };
    await open({ policy: { supervisor, "locks.lease_ttl_seconds": 1000 } });
    await acquire("one");
    await expect(acquire("two")).rejects.toMatchObject({ code: "lock_conflict" });
    expect(sleeps).toEqual([1_000, 1_000, 1_000]);
  });

  test("[FEA-114] with acquire_behavior fail it returns at once, with the holder", async () => {
    await bench.close();
    await open({ policy: { "locks.acquire_behavior": "fail" } });
    await acquire("one");
    await expect(acquire("two", { wait_timeout_seconds: 100 })).rejects.toMatchObject({
      code: "lock_conflict",
      message: expect.stringContaining('"openapi" by "one"'),
    });
    expect(sleeps).toEqual([]);
  });

  test("[FEA-114] a waiting call gets the lock when it is free, and others can work in the meantime", async () => {
    await acquire("one");
    onSleep = async (count) => {
      if (count === 2) await bench.release("one", "openapi");
    };
    expect((await acquire("two")).leases[0]).toMatchObject({ holder: "two", token: 2 });
    expect(sleeps).toHaveLength(2);
    expect([await held("one"), await held("two")]).toEqual([[], ["openapi"]]);
  });

  test("a wait ends when the caller aborts, and no lock is taken", async () => {
    await acquire("one");
    const stop = new AbortController();
    onSleep = () => stop.abort();
    await expect(acquire("two", { signal: stop.signal })).rejects.toMatchObject({ code: "run_stopped" });
    expect(sleeps).toHaveLength(1);
    expect(bench.indexFile().locks["openapi"]).toBe("one");
  });

  test("[FEA-113] an expired lease is taken over, with evidence; the former holder's state shows the loss", async () => {
    await acquire("one");
    bench.clock.time += 60_000;
    const { evidence } = await acquire("two");
    expect(evidence).toMatchObject([{ code: "stale_lock_reclaimed", former_holder: "one" }]);
    expect(await held("one")).toEqual([]);
    expect((await bench.row("one")).version).toBe(3);
    expect(bench.indexFile().locks["openapi"]).toBe("two");
  });

  test("the expired lease of a deleted feature is taken like any other", async () => {
    await acquire("one");
    await bench.db.deleteFrom("features").where("id", "=", "one").execute();
    bench.clock.time += 60_000;
    expect((await acquire("two")).evidence).toMatchObject([{ former_holder: "one" }]);
  });

  test("a clock that is set back does not extend a lease", async () => {
    await acquire("one");
    bench.clock.time -= 1_000_000;
    expect((await acquire("two", { wait_timeout_seconds: 120 })).evidence).toHaveLength(1);
  });
});

describe("[FEA-101] locks.release", () => {
  test("clears index, lease and state together", async () => {
    await acquire("one");
    await bench.release("one", "openapi");
    expect(await held("one")).toEqual([]);
    expect((await bench.row("one")).version).toBe(3);
    expect(bench.indexFile()).toMatchObject({ version: 2, locks: { openapi: null }, lock_leases: {} });
  });

  test("of another feature's lock, or of a free one, fails with lock_not_held and changes nothing", async () => {
    await acquire("one");
    const before = [await bench.row("one"), await bench.row("two"), bench.indexFile()];
    await expect(bench.release("two", "openapi")).rejects.toMatchObject({
      code: "lock_not_held",
      details: { conflicting_feature_ids: ["one"] },
    });
    await expect(bench.release("one", "events")).rejects.toMatchObject({ code: "lock_not_held" });
    expect([await bench.row("one"), await bench.row("two"), bench.indexFile()]).toEqual(before);
  });
});

test("[FEA-116] a protected write is refused inside its transaction after a lock of the plan is lost", async () => {
  await acquire("one");
  await bench.submit("one", { contracts: { openapi: "modify" } });
  const check = () => bench.db.transaction().execute((tx) => assertLocksHeld(tx, bench.kernel, "one", bench.clock.time));
  await check();
  bench.clock.time += 60_000;
  await expect(check()).rejects.toMatchObject({ code: "lock_not_held", details: { resources: ["openapi"], conflicting_feature_ids: [] } });
  await acquire("two");
  await expect(check()).rejects.toMatchObject({ code: "lock_not_held", details: { conflicting_feature_ids: ["two"] } });
});
