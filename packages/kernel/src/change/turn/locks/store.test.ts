import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { releaseAllWithin } from "./store.ts";
import { failure, openBench, RESOURCES, TTL, type Bench } from "./testing/bench.ts";
import { delayMs } from "./wait.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench.close());

const take = async (holder: string, ...wanted: string[]) => (await bench.acquire(holder, wanted)).leases;

describe("acquiring", () => {
  test("returns a lease with id, token and expiry; taking it again renews it", async () => {
    const [lease] = await take("f1", "openapi");
    expect(lease).toEqual({ resource: "openapi", holder: "f1", leaseId: "lease_1", token: 1, expiresAt: 11_000 });
    bench.clock.time += 500;
    expect(await take("f1", "openapi")).toEqual([{ ...lease, expiresAt: 11_500 }]);
    expect(await bench.held("f1")).toEqual([{ ...lease, expiresAt: 11_500 }]);
  });

  test("only resources that the policy lists", async () => {
    await expect(take("f1", "openapi", "secret")).rejects.toMatchObject({
      code: "policy_violation",
      details: { resources: ["secret"], allowed: RESOURCES, field: "locks.resources" },
    });
    expect(await bench.held()).toEqual([]);
  });

  test("[FEA-013] several are taken in one global order, all or none, so that opposite requests never deadlock", async () => {
    expect((await take("f1", "openapi", "events", "openapi")).map(({ resource }) => resource)).toEqual(["events", "openapi"]);
    await expect(take("f2", "openapi", "db_migrations")).rejects.toMatchObject({
      code: "lock_conflict",
      message: expect.stringContaining('"openapi" by "f1"'),
      details: { retryable: true, conflicting_feature_ids: ["f1"], held: [{ resource: "openapi", holder: "f1", expires_at: 11_000 }] },
    });
    expect((await bench.held()).map(({ resource, holder }) => `${resource}:${holder}`)).toEqual(["events:f1", "openapi:f1"]);
  });

  test("[FEA-113] an expired lease may be taken over, with evidence; the former holder's renewal reports it; a valid one is never taken over", async () => {
    const [old] = await take("f1", "openapi");
    bench.clock.time = 10_999;
    expect(await failure(take("f2", "openapi"))).toBe("lock_conflict");
    bench.clock.time = 11_000;
    const { leases, evidence } = await bench.acquire("f2", ["openapi"]);
    expect(evidence).toEqual([{ code: "stale_lock_reclaimed", resource: "openapi", former_holder: "f1", expired_at: 11_000 }]);
    expect(leases[0]?.token).toBe(2);
    await expect(bench.renew(old!)).rejects.toMatchObject({ code: "stale_lock_reclaimed", details: { conflicting_feature_ids: ["f2"] } });
    expect(await bench.mayWrite(old!)).toBe(false);
    expect(await bench.mayWrite(leases[0]!)).toBe(true);
    await bench.release(leases[0]!);
    await expect(bench.renew(old!)).rejects.toMatchObject({ code: "stale_lock_reclaimed", details: { conflicting_feature_ids: [] } });
  });

  test("waits with growing, jittered pauses until the timeout; without a timeout it fails at once", async () => {
    await bench.close();
    bench = await openBench({ initial_seconds: 0.01, factor: 2, max_seconds: 0.06, jitter: 0.5 });
    await take("f1", "openapi");
    expect(await failure(take("f2", "openapi"))).toBe("lock_conflict");
    expect(bench.sleeps).toEqual([]);
    await expect(bench.acquire("f2", ["openapi"], 200)).rejects.toMatchObject({
      code: "lock_conflict",
      details: { conflicting_feature_ids: ["f1"] },
    });
    expect(bench.sleeps).toEqual([10, 20, 40, 60, 60, 10]);
    expect(bench.clock.mono).toBe(200);
    expect((await bench.acquire("f2", ["openapi"], 5_000)).evidence).toHaveLength(1);
  });

  test("a clock that is set back extends neither the wait nor the lease", async () => {
    await take("f1", "openapi");
    bench.clock.time = 0;
    const { evidence } = await bench.acquire("f2", ["openapi", "events"], 5_000);
    expect(evidence).toMatchObject([{ former_holder: "f1" }]);
    expect(bench.clock.mono).toBeGreaterThanOrEqual(TTL);
    expect(bench.clock.mono).toBeLessThan(5_000);
  });

  test("any other failure ends the wait", async () => {
    await bench.sqlite.write((database) => database.exec("DROP TABLE locks"));
    await expect(bench.acquire("f1", ["openapi"], 1_000)).rejects.toThrow("locks");
    expect(bench.sleeps).toEqual([]);
  });
});

test("pauses grow to the maximum, plus or minus the jitter", () => {
  const jitters = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.nat(50), jitters, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (number, jitter, chance) => {
      const step = Math.min(10 * 2 ** number, 100);
      const delay = delayMs({ initial_seconds: 0.01, factor: 2, max_seconds: 0.1, jitter }, number, chance);
      expect(delay).toBeGreaterThanOrEqual(step * (1 - jitter) - 1e-9);
      expect(delay).toBeLessThanOrEqual(step * (1 + jitter) + 1e-9);
    }),
  );
});

describe("releasing", () => {
  test("clears the lock; another holder's lock or a free one fails with lock_not_held and changes nothing", async () => {
    const [lease] = await take("f1", "openapi");
    await expect(bench.release({ resource: "openapi", holder: "f2" })).rejects.toMatchObject({
      code: "lock_not_held",
      details: { conflicting_feature_ids: ["f1"] },
    });
    expect(await failure(bench.release({ resource: "openapi", holder: "f1", token: 9 }))).toBe("lock_not_held");
    expect(await failure(bench.release({ resource: "events", holder: "f1" }))).toBe("lock_not_held");
    expect(await bench.held()).toEqual([lease]);
    await bench.release({ resource: "openapi", holder: "f1" });
    expect(await bench.held()).toEqual([]);
    expect(await failure(bench.release(lease!))).toBe("lock_not_held");
    expect((await take("f2", "openapi"))[0]?.token).toBe(2);
  });

  test("releases everything of one holder at once", async () => {
    const releaseAll = (holder: string) => bench.db.transaction().execute((tx) => releaseAllWithin(tx, holder));
    await take("f1", "openapi", "db_migrations");
    await take("f2", "events");
    expect(await releaseAll("f1")).toEqual(["db_migrations", "openapi"]);
    expect(await releaseAll("f1")).toEqual([]);
    expect((await bench.held()).map(({ holder }) => holder)).toEqual(["f2"]);
  });
});

test("renewing extends a lease, also an expired one that no other holder took; a lock that is not held is not renewed", async () => {
  const [lease] = await take("f1", "openapi");
  bench.clock.time += 5_000;
  expect(await bench.mayWrite(lease!)).toBe(false);
  expect(await bench.renew(lease!)).toMatchObject({ token: 1, expiresAt: bench.clock.time + TTL });
  expect(await bench.mayWrite(lease!)).toBe(true);
  expect(await failure(bench.renew({ resource: "events", holder: "f1", token: 1 }))).toBe("lock_not_held");
  expect(await failure(bench.renew({ ...lease!, holder: "f2" }))).toBe("lock_not_held");
});

test("recovery releases expired leases, and nothing else", async () => {
  const [old] = await take("f1", "openapi");
  bench.clock.time += 600;
  await take("f2", "events");
  bench.clock.time += 400;
  expect(await bench.reclaim()).toEqual([{ code: "stale_lock_reclaimed", resource: "openapi", former_holder: "f1", expired_at: 11_000 }]);
  expect((await bench.held()).map(({ resource }) => resource)).toEqual(["events"]);
  expect(await failure(bench.renew(old!))).toBe("stale_lock_reclaimed");
});
