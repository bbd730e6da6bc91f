import { afterEach, beforeEach, expect, test } from "vitest";
import { keepAlive, type Heartbeat } from "./locks.ts";
import { openBench, TTL, type Bench } from "./testing/bench.ts";

let bench: Bench;
let lost: string[];
let beats: number;
beforeEach(async () => {
  bench = await openBench();
  [lost, beats] = [[], 0];
});
afterEach(() => bench.close());

/** A heartbeat that stops after this many beats; `between` runs after each beat. */
function heart(times: number, between: (beat: number) => Promise<unknown> | void = () => undefined, changes: Partial<Heartbeat> = {}) {
  const stop = new AbortController();
  return keepAlive({
    db: bench.db,
    clock: bench.clock,
    ttlMs: TTL,
    holders: () => ["f1", "f2"],
    signal: stop.signal,
    onLost: ({ resource }, { code }) => lost.push(`${resource} ${code}`),
    within: async () => void beats++,
    afterwards: async () => undefined,
    async sleep(ms) {
      await bench.sleep(ms);
      await between(bench.sleeps.length);
      if (bench.sleeps.length === times) stop.abort();
    },
    ...changes,
  });
}

test("[FEA-112] a heartbeat keeps a lock beyond its term, and without it the lock expires", async () => {
  const { leases } = await bench.acquire("f1", ["openapi"]);
  await heart(10);
  expect(bench.clock.time).toBeGreaterThan(10_000 + 3 * TTL);
  expect(await bench.mayWrite(leases[0]!)).toBe(true);
  expect(beats).toBe(10);
  bench.clock.time += TTL;
  expect(await bench.mayWrite(leases[0]!)).toBe(false);
});

test("locks taken during the heartbeat are kept too, and those of others are not", async () => {
  await heart(12, async (beat) => {
    if (beat === 1) await bench.acquire("f2", ["events"]);
    if (beat === 1) await bench.acquire("f9", ["openapi"]);
  });
  const standing = (await bench.held()).map(({ resource, expiresAt }) => [resource, expiresAt > bench.clock.time]);
  expect(standing).toEqual([
    ["events", true],
    ["openapi", false],
  ]);
});

test("a heartbeat that renews no lease writes nothing, and projects nothing", async () => {
  await bench.acquire("f9", ["openapi"]);
  let projected = 0;
  await heart(3, () => undefined, { afterwards: async () => void projected++ });
  expect([beats, projected]).toEqual([0, 0]);
  await bench.acquire("f1", ["events"]);
  await heart(bench.sleeps.length + 2, () => undefined, { afterwards: async () => void projected++ });
  expect([beats, projected]).toEqual([2, 2]);
});

test("[FEA-113] a lease that expired and was taken over is reported once; the others are still renewed", async () => {
  await bench.acquire("f1", ["events", "openapi"]);
  await heart(4, async (beat) => {
    if (beat !== 1) return;
    bench.clock.time += 5 * TTL;
    await bench.acquire("thief", ["events"]);
  });
  expect(lost).toEqual(["events stale_lock_reclaimed"]);
  expect((await bench.held("f1")).map(({ resource }) => resource)).toEqual(["openapi"]);
});

test("a released lock is no loss, whether or not another holder has it now", async () => {
  await bench.acquire("f1", ["events", "openapi"]);
  await heart(4, async (beat) => {
    if (beat !== 1) return;
    await bench.release({ resource: "events", holder: "f1" });
    await bench.acquire("f9", ["events"]);
    await bench.release({ resource: "openapi", holder: "f1" });
    bench.clock.time += 5 * TTL;
  });
  // After this time the first lease may have been released or have expired; both look the same.
  expect(lost).toEqual(["events stale_lock_reclaimed"]);
  lost = [];
  await bench.acquire("f1", ["openapi"]);
  await heart(bench.sleeps.length + 3, async () => {
    if ((await bench.held("f1")).length === 0) return;
    await bench.release({ resource: "openapi", holder: "f1" });
    await bench.acquire("f9", ["openapi"]);
  });
  expect(lost).toEqual([]);
});

test("a temporary error costs a beat, not the lock", async () => {
  const { leases } = await bench.acquire("f1", ["openapi"]);
  const rename = (from: string, to: string) => bench.sqlite.write((database) => database.exec(`ALTER TABLE ${from} RENAME TO ${to}`));
  let failed = 0;
  await heart(6, () => undefined, {
    async within(tx) {
      beats++;
      if (beats === 2) {
        failed++;
        const { SlipwayError } = await import("@slipway/durable/errors");
        throw new SlipwayError("disk_full", "full");
      }
      void tx;
    },
  });
  expect(failed).toBe(1);
  expect(await bench.mayWrite(leases[0]!)).toBe(true);
  await rename("locks", "elsewhere");
  await expect(heart(bench.sleeps.length + 1)).rejects.toThrow("no such table");
});

test("a heartbeat without permission to write renews nothing", async () => {
  const { leases } = await bench.acquire("f1", ["openapi"]);
  const { SlipwayError } = await import("@slipway/durable/errors");
  await heart(4, () => undefined, {
    within: () => Promise.reject(new SlipwayError("lease_lost", "another supervisor has taken over")),
  });
  expect(await bench.mayWrite(leases[0]!)).toBe(false);
});
