import { SlipwayError } from "../../../schema/errors.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { inLockOrder, type LockLease } from "./lease.ts";
import { failure, openBench, RESOURCES, TTL, type Bench } from "./testing/bench.ts";

interface Model {
  readonly locks: Map<string, { token: number; holder: string | null; expiresAt: number }>;
  time: number;
}
interface Real {
  readonly bench: Bench;
  /** Every lease ever issued: an old one must never be renewed. */
  readonly leases: LockLease[];
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
    // As the store does before it waits: a lease never lasts longer than one term from now.
    for (const name of this.#wanted) {
      const lock = model.locks.get(name);
      if (lock !== undefined) lock.expiresAt = Math.min(lock.expiresAt, model.time + TTL);
    }
    const taken = this.#wanted.filter((name) => {
      const lock = model.locks.get(name);
      return lock !== undefined && lock.holder !== null && lock.holder !== this.#holder && model.time < lock.expiresAt;
    });
    const outcome = await bench.acquire(this.#holder, this.#wanted).catch((error: SlipwayError) => error);
    if (taken.length > 0) {
      expect(outcome).toMatchObject({ code: "lock_conflict" });
      return agrees(model, bench);
    }
    if (outcome instanceof SlipwayError) throw outcome;
    expect(outcome.leases.map(({ resource }) => resource)).toEqual(inLockOrder(this.#wanted));
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
    const outcome = await failure(bench.release({ resource: this.#name, holder: this.#holder }));
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
    expect(await failure(bench.renew(lease))).toBe(expected);
    if (current) lock.expiresAt = model.time + TTL;
    await agrees(model, bench);
  }
  toString = () => `renew(#${this.#which})`;
}

class Reclaim implements fc.AsyncCommand<Model, Real> {
  check = () => true;
  async run(model: Model, { bench }: Real): Promise<void> {
    const expected = [...model.locks].filter(([, lock]) => lock.holder !== null && lock.expiresAt <= model.time);
    expect((await bench.reclaim()).map(({ resource }) => resource)).toEqual(inLockOrder(expected.map(([name]) => name)));
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
  async run(model: Model, { bench }: Real): Promise<void> {
    model.time += this.#by;
    bench.clock.time = model.time;
    for (const holder of holders) {
      for (const resource of RESOURCES) {
        const lock = model.locks.get(resource);
        const expected = lock?.holder === holder && model.time < lock.expiresAt;
        expect(await bench.mayWrite({ resource, holder })).toBe(expected);
      }
    }
  }
  toString = () => `jump(${this.#by})`;
}

async function agrees(model: Model, bench: Real["bench"]): Promise<void> {
  const rows = await bench.db.selectFrom("locks").select(["resource", "token", "holder", "expires_at"]).orderBy("resource").execute();
  const expected = [...model.locks].map(([resource, { token, holder, expiresAt }]) => ({ resource, token, holder, expires_at: expiresAt }));
  expect(rows).toEqual(expected.toSorted((a, b) => (a.resource < b.resource ? -1 : 1)));
}

test("with several holders, any order and a jumping clock there is one holder at a time, tokens only grow, and no stale write succeeds", async () => {
  const holder = fc.constantFrom(...holders);
  const name = fc.constantFrom(...RESOURCES);
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
      const bench = await openBench();
      await fc.asyncModelRun(
        () => ({ model: { locks: new Map(), time: bench.clock.time }, real: { bench, leases: [] } }),
        [...sequence, new Jump(0)],
      );
      await bench.close();
    }),
    { numRuns: 60 },
  );
});
