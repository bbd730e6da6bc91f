import { SlipwayError } from "../../schema/errors.ts";
import { verifyStream } from "@slipway/durable/journal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { readPage, repositoryJournal, REPOSITORY_STREAM } from "../journal/repository.ts";
import { createDoor, type Door } from "./door.ts";
import type { Operation } from "./operation.ts";
import type { Owners } from "./owners.ts";
import { openBench, type Bench } from "./testing/door.ts";

/** The promise of the ledger, without a database: one outcome per id, fixed by the first call that ended. */
interface Model {
  readonly entries: Map<string, { input: number; outcome?: string; claim?: number }>;
  attempts: number;
  commits: number;
}

interface Real {
  readonly bench: Bench;
  readonly doors: Door[];
  readonly dead: Set<string>;
  readonly paused: Map<number, { id: string; resume: () => void; ended: Promise<string> }>;
}

type Behaviour = "succeed" | "refuse" | "retry";
const ids = ["a", "b"];
const PROCESSES = 3;

function operation(
  behaviour: Behaviour,
  attempt: number,
  options: { effect: boolean; gate?: Promise<void>; reached?: () => void },
): Operation<{ n: number }, unknown, string> {
  return {
    name: "count",
    roles: ["system"],
    input: z.strictObject({ n: z.int() }),
    ...(options.effect && { effect: async () => (options.reached?.(), options.gate) }),
    async commit(tx, _input, _effect, { operationId, at }) {
      await tx
        .insertInto("signals")
        .values({ run_id: operationId, name: "commit", value: "", sent_by: "", at, consumed_at: null })
        .execute();
      if (behaviour === "refuse") throw new SlipwayError("policy_violation", `refused by ${attempt}`);
      if (behaviour === "retry") throw new SlipwayError("version_conflict", "later");
      return `done by ${attempt}`;
    },
  };
}

const call = (door: Door, id: string, n: number, ...rest: Parameters<typeof operation>) =>
  door
    .perform(operation(...rest), { type: "system", id: "model" }, id, { n })
    .catch((error: SlipwayError) => `${error.code}: ${error.message}`);

const end = (model: Model, id: string, input: number, behaviour: Behaviour, attempt: number): string => {
  if (behaviour === "retry") return "version_conflict: later";
  const outcome = behaviour === "succeed" ? `done by ${attempt}` : `policy_violation: refused by ${attempt}`;
  model.entries.set(id, { input, outcome });
  if (behaviour === "succeed") model.commits++;
  return outcome;
};

class Call implements fc.AsyncCommand<Model, Real> {
  readonly #process: number;
  readonly #id: string;
  readonly #input: number;
  readonly #behaviour: Behaviour;
  readonly #effect: boolean;

  constructor(process: number, id: string, input: number, behaviour: Behaviour, effect: boolean) {
    [this.#process, this.#id, this.#input, this.#behaviour, this.#effect] = [process, id, input, behaviour, effect];
  }

  /** While a live process drives the same call, this one would wait: tested elsewhere. */
  check(model: Readonly<Model>): boolean {
    const entry = model.entries.get(this.#id);
    return entry?.claim === undefined || entry.input !== this.#input;
  }

  async run(model: Model, real: Real): Promise<void> {
    const attempt = model.attempts++;
    const answer = await call(real.doors[this.#process]!, this.#id, this.#input, this.#behaviour, attempt, { effect: this.#effect });
    const entry = model.entries.get(this.#id);
    if (entry !== undefined && entry.input !== this.#input) expect(answer).toMatch(/^operation_conflict/);
    else if (entry?.outcome !== undefined) expect(answer).toBe(entry.outcome);
    else {
      if (this.#effect) model.entries.set(this.#id, { input: this.#input });
      expect(answer).toBe(end(model, this.#id, this.#input, this.#behaviour, attempt));
    }
    await agrees(model, real);
  }

  toString = () => `call(${this.#process}, ${this.#id}, ${this.#input}, ${this.#behaviour}${this.#effect ? ", effect" : ""})`;
}

/** A process is suspended during an effect; the others consider it dead, until it may continue. */
class Pause implements fc.AsyncCommand<Model, Real> {
  readonly #id: string;
  readonly #input: number;

  constructor(id: string, input: number) {
    [this.#id, this.#input] = [id, input];
  }

  check(model: Readonly<Model>): boolean {
    const entry = model.entries.get(this.#id);
    return entry?.outcome === undefined && (entry === undefined || entry.input === this.#input);
  }

  async run(model: Model, real: Real): Promise<void> {
    const attempt = model.attempts++;
    const self = `paused ${attempt}`;
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const door = doorOf(real, self);
    const ended = call(door, this.#id, this.#input, "succeed", attempt, {
      effect: true,
      gate: gate.promise,
      reached: () => reached.resolve(),
    });
    await reached.promise;
    real.dead.add(self);
    real.paused.set(attempt, { id: this.#id, resume: gate.resolve, ended });
    model.entries.set(this.#id, { input: this.#input, claim: attempt });
    await agrees(model, real);
  }

  toString = () => `pause(${this.#id}, ${this.#input})`;
}

class TakeOver implements fc.AsyncCommand<Model, Real> {
  readonly #process: number;
  readonly #id: string;
  readonly #behaviour: Behaviour;

  constructor(process: number, id: string, behaviour: Behaviour) {
    [this.#process, this.#id, this.#behaviour] = [process, id, behaviour];
  }

  check = (model: Readonly<Model>) => model.entries.get(this.#id)?.claim !== undefined;

  async run(model: Model, real: Real): Promise<void> {
    const { input } = model.entries.get(this.#id)!;
    const attempt = model.attempts++;
    const answer = await call(real.doors[this.#process]!, this.#id, input, this.#behaviour, attempt, { effect: true });
    model.entries.set(this.#id, { input });
    expect(answer).toBe(end(model, this.#id, input, this.#behaviour, attempt));
    await agrees(model, real);
  }

  toString = () => `takeOver(${this.#process}, ${this.#id}, ${this.#behaviour})`;
}

class Resume implements fc.AsyncCommand<Model, Real> {
  readonly #which: number;

  constructor(which: number) {
    this.#which = which;
  }

  check = () => true;

  async run(model: Model, real: Real): Promise<void> {
    const attempt = [...real.paused.keys()][this.#which];
    if (attempt === undefined) return;
    const { id, resume, ended } = real.paused.get(attempt)!;
    real.paused.delete(attempt);
    resume();
    const answer = await ended;
    const held = [...model.entries].find(([, { claim }]) => claim === attempt);
    const outcome = model.entries.get(id)?.outcome;
    if (outcome !== undefined) expect(answer).toBe(outcome);
    else if (held === undefined) expect(answer).toMatch(/^lease_lost/);
    else expect(answer).toBe(end(model, held[0], held[1].input, "succeed", attempt));
    await agrees(model, real);
  }

  toString = () => `resume(${this.#which})`;
}

async function agrees(model: Model, { bench }: Real): Promise<void> {
  const rows = await bench.db.selectFrom("signals").select("run_id").execute();
  expect(rows).toHaveLength(model.commits);
  expect(new Set(rows.map(({ run_id }) => run_id)).size).toBe(rows.length);
  expect((await readPage(bench.db, REPOSITORY_STREAM)).events).toHaveLength(model.commits);
}

function doorOf({ bench, dead }: Real, self: string): Door {
  const owners: Owners = { self, stateOf: (owner) => (dead.has(owner) ? "dead" : "alive") };
  const { db, clock, objects } = bench;
  return createDoor({ db, clock, journal: repositoryJournal(objects), blobs: objects, owners });
}

const behaviour = fc.constantFrom<Behaviour>("succeed", "refuse", "retry");
const id = fc.constantFrom(...ids);
const input = fc.nat(1);
const process_ = fc.nat(PROCESSES - 1);

test("after any calls, kills, takeovers and resumes there is one outcome per id", async () => {
  const commands = fc.commands(
    [
      fc.tuple(process_, id, input, behaviour, fc.boolean()).map((args) => new Call(...args)),
      fc.tuple(id, input).map((args) => new Pause(...args)),
      fc.tuple(process_, id, behaviour).map((args) => new TakeOver(...args)),
      fc.nat(2).map((which) => new Resume(which)),
    ],
    { maxCommands: 14 },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const bench = await openBench();
      const real: Real = { bench, doors: [], dead: new Set(), paused: new Map() };
      real.doors.push(...Array.from({ length: PROCESSES }, (_, index) => doorOf(real, `process ${index}`)));
      try {
        await fc.asyncModelRun(() => ({ model: { entries: new Map(), attempts: 0, commits: 0 }, real }), sequence);
        expect(await verifyStream(bench.sqlite, REPOSITORY_STREAM)).toMatchObject({ ok: true });
      } finally {
        for (const { resume, ended } of real.paused.values()) {
          resume();
          await ended;
        }
        await bench.close();
      }
    }),
    { numRuns: 60 },
  );
});
