import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { openDatabase, type Database } from "../database/open.ts";
import { inOrder, type Lease } from "./lease.ts";
import { openLocks, type Locks, type LocksOptions } from "./locks.ts";
import { assertHeld } from "./store.ts";
import { delayMs } from "./wait.ts";

const TTL = 1_000;
const resources = ["db_migrations", "events", "openapi"];
const databases: Database[] = [];
afterEach(async () => {
  for (const database of databases.splice(0)) await database.close();
});

async function open(options: Partial<LocksOptions> = {}) {
  const database = await openDatabase({ path: join(mkdtempSync(join(tmpdir(), "slipway-locks-")), "slipway.db") });
  databases.push(database);
  const clock = { time: 10_000, mono: 0, now: () => clock.time, monotonic: () => clock.mono };
  const sleeps: number[] = [];
  const sleep = async (ms: number) => {
    sleeps.push(ms);
    clock.time += ms;
    clock.mono += ms;
  };
  let next = 0;
  const ids = { next: (prefix: string) => `${prefix}_${++next}` };
  const locks = openLocks({ db: database.db, clock, ids, sleep, random: () => 0.5, resources, ttlMs: TTL, ...options });
  const held = (lease: Pick<Lease, "resource" | "holder" | "token">) =>
    database.db
      .transaction()
      .execute((tx) => assertHeld(tx, lease, clock.now()))
      .then(() => true)
      .catch((error: { code: string }) => error.code);
  return { ...database, clock, sleeps, locks, held };
}

const take = async (locks: Locks, holder: string, ...wanted: string[]) =>
  (await locks.acquire({ resources: wanted, holder, waitMs: 0 })).leases;
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => "nothing",
    (error: SlipwayError) => error.code,
  );

describe("acquiring", () => {
  test("gives a lease with id, token and end; taking it again renews it", async () => {
    const { locks, clock } = await open();
    const [lease] = await take(locks, "f1", "openapi");
    expect(lease).toEqual({ resource: "openapi", holder: "f1", leaseId: "lease_1", token: 1, expiresAt: 11_000 });
    clock.time += 500;
    expect(await take(locks, "f1", "openapi")).toEqual([{ ...lease, expiresAt: 11_500 }]);
    expect(await locks.held("f1")).toEqual([{ ...lease, expiresAt: 11_500 }]);
  });

  test("only what the policy lists", async () => {
    const { locks } = await open();
    await expect(take(locks, "f1", "openapi", "secret")).rejects.toMatchObject({
      code: "policy_violation",
      details: { resources: ["secret"], allowed: resources, field: "locks.resources" },
    });
    expect(await locks.held()).toEqual([]);
  });

  test("several are taken in the one order, all or none, so that opposite requests never block each other", async () => {
    const { locks } = await open();
    expect((await take(locks, "f1", "openapi", "events", "openapi")).map(({ resource }) => resource)).toEqual(["events", "openapi"]);
    await expect(take(locks, "f2", "openapi", "db_migrations")).rejects.toMatchObject({
      code: "lock_conflict",
      message: expect.stringContaining('"openapi" by "f1"'),
      details: { retryable: true, conflicting_feature_ids: ["f1"], held: [{ resource: "openapi", holder: "f1", expires_at: 11_000 }] },
    });
    expect((await locks.held()).map(({ resource, holder }) => `${resource}:${holder}`)).toEqual(["events:f1", "openapi:f1"]);
  });

  test("[FEA-113] an expired lease may be taken over, with evidence; the former holder's renewal says so; an unexpired one is never taken", async () => {
    const { locks, clock, held } = await open();
    const [old] = await take(locks, "f1", "openapi");
    clock.time = 10_999;
    expect(await failure(take(locks, "f2", "openapi"))).toBe("lock_conflict");
    clock.time = 11_000;
    const { leases, evidence } = await locks.acquire({ resources: ["openapi"], holder: "f2", waitMs: 0 });
    expect(evidence).toEqual([{ code: "stale_lock_reclaimed", resource: "openapi", former_holder: "f1", expired_at: 11_000 }]);
    expect(leases[0]?.token).toBe(2);
    await expect(locks.renew(old!)).rejects.toMatchObject({ code: "stale_lock_reclaimed", details: { conflicting_feature_ids: ["f2"] } });
    expect(await held(old!)).toBe("lock_not_held");
    expect(await held(leases[0]!)).toBe(true);
    await locks.release(leases[0]!);
    await expect(locks.renew(old!)).rejects.toMatchObject({ code: "stale_lock_reclaimed", details: { conflicting_feature_ids: [] } });
  });

  test("waits with growing, jittered pauses and gives up at the timeout; without a timeout it fails at once", async () => {
    const { locks, clock, sleeps } = await open({ backoff: { firstMs: 10, factor: 2, maxMs: 60 } });
    const [lease] = await take(locks, "f1", "openapi");
    await locks.renew(lease!);
    expect(await failure(take(locks, "f2", "openapi"))).toBe("lock_conflict");
    expect(sleeps).toEqual([]);
    await expect(locks.acquire({ resources: ["openapi"], holder: "f2", waitMs: 200 })).rejects.toMatchObject({
      code: "lock_conflict",
      details: { conflicting_feature_ids: ["f1"] },
    });
    expect(sleeps).toEqual([7.5, 15, 30, 45, 45, 45, 12.5]);
    expect(clock.mono).toBe(200);
    expect((await locks.acquire({ resources: ["openapi"], holder: "f2", waitMs: 5_000 })).evidence).toHaveLength(1);
  });

  test("a clock that is put back prolongs neither the wait nor the lease", async () => {
    const bench = await open();
    await take(bench.locks, "f1", "openapi");
    bench.clock.time = 0;
    const { evidence } = await bench.locks.acquire({ resources: ["openapi", "events"], holder: "f2", waitMs: 5_000 });
    expect(evidence).toMatchObject([{ former_holder: "f1" }]);
    expect(bench.clock.mono).toBeGreaterThanOrEqual(TTL);
    expect(bench.clock.mono).toBeLessThan(5_000);
  });

  test("any other failure is not waited out", async () => {
    const { locks, sleeps, sqlite } = await open();
    await sqlite.write((database) => database.exec("DROP TABLE locks"));
    await expect(locks.acquire({ resources: ["openapi"], holder: "f1", waitMs: 1_000 })).rejects.toThrow("locks");
    expect(sleeps).toEqual([]);
  });
});

test("pauses lie between half and the whole of the step, and stop growing", () => {
  const backoff = { firstMs: 10, factor: 2, maxMs: 100 };
  fc.assert(
    fc.property(fc.nat(50), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (number, chance) => {
      const step = Math.min(10 * 2 ** number, 100);
      const delay = delayMs(backoff, number, chance);
      expect(delay).toBeGreaterThanOrEqual(step / 2);
      expect(delay).toBeLessThanOrEqual(step);
    }),
  );
});

describe("releasing", () => {
  test("clears the lock; another's or nobody's lock fails with lock_not_held and changes nothing", async () => {
    const { locks } = await open();
    const [lease] = await take(locks, "f1", "openapi");
    await expect(locks.release({ resource: "openapi", holder: "f2" })).rejects.toMatchObject({
      code: "lock_not_held",
      details: { conflicting_feature_ids: ["f1"] },
    });
    expect(await failure(locks.release({ resource: "openapi", holder: "f1", token: 9 }))).toBe("lock_not_held");
    expect(await failure(locks.release({ resource: "events", holder: "f1" }))).toBe("lock_not_held");
    expect(await locks.held()).toEqual([lease]);
    await locks.release({ resource: "openapi", holder: "f1" });
    expect(await locks.held()).toEqual([]);
    expect(await failure(locks.release(lease!))).toBe("lock_not_held");
    expect((await take(locks, "f2", "openapi"))[0]?.token).toBe(2);
  });

  test("everything of one holder at once", async () => {
    const { locks } = await open();
    await take(locks, "f1", "openapi", "db_migrations");
    await take(locks, "f2", "events");
    expect(await locks.releaseAll("f1")).toEqual(["db_migrations", "openapi"]);
    expect(await locks.releaseAll("f1")).toEqual([]);
    expect((await locks.held()).map(({ holder }) => holder)).toEqual(["f2"]);
  });
});

describe("renewing", () => {
  test("prolongs a lease, also one that ran out and that nobody took; what is not held is not renewed", async () => {
    const { locks, clock, held } = await open();
    const [lease] = await take(locks, "f1", "openapi");
    clock.time += 5_000;
    expect(await held(lease!)).toBe("lock_not_held");
    expect(await locks.renew(lease!)).toMatchObject({ token: 1, expiresAt: clock.time + TTL });
    expect(await held(lease!)).toBe(true);
    expect(await failure(locks.renew({ resource: "events", holder: "f1", token: 1 }))).toBe("lock_not_held");
    expect(await failure(locks.renew({ ...lease!, holder: "f2" }))).toBe("lock_not_held");
  });

  test("a heartbeat keeps a lock beyond its term, and without it the lock expires", async () => {
    const { locks, clock, held } = await open();
    const [lease] = await take(locks, "f1", "openapi");
    const beats = new AbortController();
    const beating = beatFor(locks, lease!, beats, clock, 10);
    await beating;
    expect(clock.time).toBeGreaterThan(10_000 + 3 * TTL);
    expect(await held(lease!)).toBe(true);
    clock.time += TTL;
    expect(await held(lease!)).toBe("lock_not_held");
  });

  test("a heartbeat tells which lease was lost, once, and goes on with the others and through passing trouble", async () => {
    const lost: string[] = [];
    const beats = new AbortController();
    let number = 0;
    const bench: Awaited<ReturnType<typeof open>> = await open({
      sleep: async (ms) => {
        bench.clock.time += ms;
        number++;
        if (number === 2) await bench.db.updateTable("locks").set({ holder: "thief", token: 9 }).where("resource", "=", "events").execute();
        if (number === 3) await bench.sqlite.write((database) => database.exec("ALTER TABLE locks RENAME TO elsewhere"));
        if (number === 4) await bench.sqlite.write((database) => database.exec("ALTER TABLE elsewhere RENAME TO locks"));
        if (number === 6) beats.abort();
      },
    });
    const leases = await take(bench.locks, "f1", "events", "openapi");
    await bench.locks.keepAlive(leases, beats.signal, ({ resource }, { code }) => lost.push(`${resource} ${code}`));
    expect(lost).toEqual(["events stale_lock_reclaimed"]);
    expect(number).toBe(6);
    expect(await bench.held(leases[1]!)).toBe(true);
    await bench.locks.keepAlive([], new AbortController().signal, () => undefined);
  });
});

/** Beats a number of times, then stops. */
async function beatFor(locks: Locks, lease: Lease, beats: AbortController, clock: { readonly mono: number }, times: number): Promise<void> {
  const end = clock.mono + (TTL / 3) * times;
  const watched = new Proxy(beats.signal, { get: (target, key) => (key === "aborted" ? clock.mono >= end : Reflect.get(target, key)) });
  await locks.keepAlive([lease], watched, () => expect.unreachable());
}

test("recovery frees what has expired, and nothing else", async () => {
  const { locks, clock } = await open();
  const [old] = await take(locks, "f1", "openapi");
  clock.time += 600;
  await take(locks, "f2", "events");
  clock.time += 400;
  expect(await locks.reclaimExpired()).toEqual([
    { code: "stale_lock_reclaimed", resource: "openapi", former_holder: "f1", expired_at: 11_000 },
  ]);
  expect((await locks.held()).map(({ resource }) => resource)).toEqual(["events"]);
  expect(await failure(locks.renew(old!))).toBe("stale_lock_reclaimed");
});

// --- model -------------------------------------------------------------------------------------------------------------------------

interface Model {
  readonly locks: Map<string, { token: number; holder: string | null; expiresAt: number }>;
  time: number;
}
interface Real {
  readonly bench: Awaited<ReturnType<typeof open>>;
  /** Every lease ever given out: none of the old ones may ever write again. */
  readonly leases: Lease[];
}
const holders = ["f1", "f2", "f3"];

class Acquire implements fc.AsyncCommand<Model, Real> {
  readonly #holder: string;
  readonly #wanted: readonly string[];
  constructor(holder: string, wanted: readonly string[]) {
    [this.#holder, this.#wanted] = [holder, wanted];
  }
  check = () => true;
  async run(model: Model, { bench, leases }: Real): Promise<void> {
    // As the store does before it waits: a lease never has more than one term left.
    for (const name of this.#wanted) {
      const lock = model.locks.get(name);
      if (lock !== undefined) lock.expiresAt = Math.min(lock.expiresAt, model.time + TTL);
    }
    const taken = this.#wanted.filter((name) => {
      const lock = model.locks.get(name);
      return lock !== undefined && lock.holder !== null && lock.holder !== this.#holder && model.time < lock.expiresAt;
    });
    const outcome = await bench.locks
      .acquire({ resources: this.#wanted, holder: this.#holder, waitMs: 0 })
      .catch((error: SlipwayError) => error);
    if (taken.length > 0) {
      expect(outcome).toMatchObject({ code: "lock_conflict" });
      return agrees(model, bench);
    }
    if (outcome instanceof SlipwayError) throw outcome;
    expect(outcome.leases.map(({ resource }) => resource)).toEqual(inOrder(this.#wanted));
    for (const lease of outcome.leases) {
      const before = model.locks.get(lease.resource);
      const own = before?.holder === this.#holder;
      expect(lease.token).toBe(own ? before.token : (before?.token ?? 0) + 1);
      model.locks.set(lease.resource, { token: lease.token, holder: this.#holder, expiresAt: model.time + TTL });
      leases.push(lease);
    }
    await agrees(model, bench);
  }
  toString = () => `acquire(${this.#holder}, ${this.#wanted.join("+")})`;
}

class Release implements fc.AsyncCommand<Model, Real> {
  readonly #holder: string;
  readonly #name: string;
  constructor(holder: string, name: string) {
    [this.#holder, this.#name] = [holder, name];
  }
  check = () => true;
  async run(model: Model, { bench }: Real): Promise<void> {
    const lock = model.locks.get(this.#name);
    const outcome = await failure(bench.locks.release({ resource: this.#name, holder: this.#holder }));
    expect(outcome).toBe(lock?.holder === this.#holder ? "nothing" : "lock_not_held");
    if (lock?.holder === this.#holder) lock.holder = null;
    await agrees(model, bench);
  }
  toString = () => `release(${this.#holder}, ${this.#name})`;
}

class Renew implements fc.AsyncCommand<Model, Real> {
  readonly #which: number;
  constructor(which: number) {
    this.#which = which;
  }
  check = () => true;
  async run(model: Model, { bench, leases }: Real): Promise<void> {
    const lease = leases[this.#which % Math.max(1, leases.length)];
    if (lease === undefined) return;
    const lock = model.locks.get(lease.resource)!;
    const current = lock.token === lease.token && lock.holder === lease.holder;
    const expected = current ? "nothing" : lock.token > lease.token ? "stale_lock_reclaimed" : "lock_not_held";
    expect(await failure(bench.locks.renew(lease))).toBe(expected);
    if (current) lock.expiresAt = model.time + TTL;
    await agrees(model, bench);
  }
  toString = () => `renew(#${this.#which})`;
}

class Reclaim implements fc.AsyncCommand<Model, Real> {
  check = () => true;
  async run(model: Model, { bench }: Real): Promise<void> {
    const expected = [...model.locks].filter(([, lock]) => lock.holder !== null && lock.expiresAt <= model.time);
    expect((await bench.locks.reclaimExpired()).map(({ resource }) => resource)).toEqual(inOrder(expected.map(([name]) => name)));
    for (const [, lock] of expected) Object.assign(lock, { holder: null, token: lock.token + 1 });
    await agrees(model, bench);
  }
  toString = () => "reclaim";
}

class Jump implements fc.AsyncCommand<Model, Real> {
  readonly #by: number;
  constructor(by: number) {
    this.#by = by;
  }
  check = () => true;
  async run(model: Model, { bench, leases }: Real): Promise<void> {
    model.time += this.#by;
    bench.clock.time = model.time;
    // A protected write goes through with the newest lease in force, and with none of the others.
    const writers = await Promise.all(leases.map(async (lease) => ({ lease, held: await bench.held(lease) })));
    for (const { lease, held } of writers) {
      const lock = model.locks.get(lease.resource)!;
      expect(held === true).toBe(lock.holder === lease.holder && lock.token === lease.token && model.time < lock.expiresAt);
    }
  }
  toString = () => `jump(${this.#by})`;
}

async function agrees(model: Model, bench: Real["bench"]): Promise<void> {
  const rows = await bench.db.selectFrom("locks").select(["resource", "token", "holder", "expires_at"]).orderBy("resource").execute();
  const expected = [...model.locks].map(([resource, { token, holder, expiresAt }]) => ({ resource, token, holder, expires_at: expiresAt }));
  expect(rows).toEqual(expected.toSorted((a, b) => (a.resource < b.resource ? -1 : 1)));
}

test("several holders, any order, a clock that jumps: one holder at a time, tokens only grow, no stale write", async () => {
  const holder = fc.constantFrom(...holders);
  const name = fc.constantFrom(...resources);
  const commands = fc.commands(
    [
      fc.tuple(holder, fc.uniqueArray(name, { minLength: 1, maxLength: 2 })).map((args) => new Acquire(...args)),
      fc.tuple(holder, name).map((args) => new Release(...args)),
      fc.nat(8).map((which) => new Renew(which)),
      fc.constant(new Reclaim()),
      fc.integer({ min: -3 * TTL, max: 3 * TTL }).map((by) => new Jump(by)),
    ],
    { maxCommands: 20 },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const bench = await open();
      await fc.asyncModelRun(
        () => ({ model: { locks: new Map(), time: bench.clock.time }, real: { bench, leases: [] } }),
        [...sequence, new Jump(0)],
      );
      await databases.pop()?.close();
    }),
    { numRuns: 60 },
  );
});

// --- several processes -------------------------------------------------------------------------------------------------------------

function startChild(path: string, ...args: string[]) {
  const script = new URL("./testing/child.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, ["--conditions=slipway-source", script, path, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return { child, ended: once(child, "close").then(([code]) => ({ code: code as number | null, output })) };
}

async function counter() {
  const bench = await open();
  await bench.db.insertInto("signals").values({ run_id: "", name: "counter", value: "0", sent_by: "", at: 0, consumed_at: null }).execute();
  const value = async () => (await bench.db.selectFrom("signals").select("value").executeTakeFirstOrThrow()).value;
  return { ...bench, path: bench.sqlite.path, value };
}

test("processes that share a lock lose no update, although they read and write apart", async () => {
  const { path, value } = await counter();
  const children = ["f1", "f2", "f3"].map((holder) => startChild(path, holder, "6", "2"));
  expect((await Promise.all(children.map(({ ended }) => ended))).map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(await value()).toBe("18");
});

test("a process that was stopped beyond its lease writes nothing when it wakes", async () => {
  const { path, value } = await counter();
  const slow = startChild(path, "slow", "1", "1500", "300");
  await once(slow.child.stdout, "data");
  slow.child.kill("SIGSTOP");
  expect(await startChild(path, "quick", "3", "0", "10000").ended).toMatchObject({ code: 0 });
  slow.child.kill("SIGCONT");
  expect((await slow.ended).output).toMatch(/lock_not_held/);
  expect(await value()).toBe("3");
});
