import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GENESIS } from "../chain.ts";
import { workflow, type Ctx } from "../ctx.ts";
import { openEngine, type Engine } from "../engine.ts";
import { systemClock, systemIds } from "../environment.ts";
import { openSqlite, type Sqlite } from "../sqlite.ts";

export interface BenchRow {
  readonly what: string;
  readonly value: string;
  readonly ratio: number | null;
  readonly bar: string;
  readonly ok: boolean;
}

const LONG = Number(process.env["SLIPWAY_BENCH_STEPS"] ?? 100_000);
const SHORT = 100;
const RESUMED = Math.min(10_000, LONG);
const RESULT = { passed: true, files: 3, note: "x".repeat(80) };

/** Every figure has a baseline from the same run on the same disk. */
export async function benchDurable(): Promise<BenchRow[]> {
  return [await stepAgainstInsert(), ...(await longRun()), await resume()];
}

/**
 * In turn, on the same file and connection: a step; the same row with the same keys in a plain transaction; and, to see what the keys
 * cost, the same row in a table without keys.
 */
async function stepAgainstInsert(): Promise<BenchRow> {
  const times = { step: [] as number[], bare: [] as number[], keyless: [] as number[] };
  const alternating = workflow<null, null, Sqlite>("bench", "1", async (ctx, _input, sqlite) => {
    await sqlite.exclusive((database) => database.exec(BARE_TABLES));
    for (let round = 0; round < Math.min(3000, LONG); round++) {
      await timed(times.step, () => ctx.step(`step:${round}`, () => Promise.resolve(RESULT)));
      await timed(times.bare, () => sqlite.write(() => bareInsert(sqlite, "bare", ctx.runId, round)));
      await timed(times.keyless, () => sqlite.write(() => bareInsert(sqlite, "keyless", ctx.runId, round)));
    }
    return null;
  });
  await withEngine((sqlite) => openBenchEngine(sqlite, alternating, sqlite), drive);
  const [step, bare, keyless] = [trimmedMean(times.step), trimmedMean(times.bare), trimmedMean(times.keyless)];
  const ratio = step / bare;
  const value = `${us(step)} / ${us(bare)} (into a table without keys: ${us(keyless)})`;
  return {
    what: "durable step / bare insert + commit of the same row (WAL, synchronous=FULL)",
    value,
    ratio,
    bar: "≤ 1.5",
    ok: ratio <= 1.5,
  };
}

const COLUMNS = "stream TEXT, seq INTEGER, kind TEXT, name TEXT, key TEXT, at INTEGER, payload TEXT, prev TEXT, hash TEXT";
const BARE_TABLES = `
  CREATE TABLE bare (${COLUMNS}, PRIMARY KEY (stream, seq)) WITHOUT ROWID;
  CREATE UNIQUE INDEX bare_key ON bare (stream, key) WHERE key IS NOT NULL;
  CREATE TABLE keyless (${COLUMNS});
`;

function bareInsert(sqlite: Sqlite, table: "bare" | "keyless", stream: string, round: number): void {
  const statement = sqlite.prepare(`INSERT INTO ${table} VALUES (?, ?, 'step', ?, ?, ?, ?, ?, ?)`);
  statement.run(stream, round, `step:${round}`, `step:${round}`, Date.now(), JSON.stringify({ ms: 0, value: RESULT }), GENESIS, GENESIS);
}

async function timed(times: number[], work: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  await work();
  times.push(performance.now() - started);
}

/** Alternates the last steps of a long run with steps of a short run on another file, so that both see the same disk. */
async function longRun(): Promise<BenchRow[]> {
  const times = { short: [] as number[], long: [] as number[] };
  const peak = { rss: 0, heap: 0 };
  const before = process.memoryUsage.rss();
  const [shortRun, measured] = [Promise.withResolvers<Ctx>(), Promise.withResolvers<null>()];
  const long = workflow<null, null, null>("bench", "1", async (ctx) => {
    await steps(ctx, LONG, () => {
      peak.rss = Math.max(peak.rss, process.memoryUsage.rss());
      peak.heap = Math.max(peak.heap, process.memoryUsage().heapUsed);
    });
    const short = await shortRun.promise;
    for (let round = 0; round < Math.min(1000, LONG); round++) {
      await timed(times.long, () => ctx.step(`measured:${round}`, () => Promise.resolve(RESULT)));
      await timed(times.short, () => short.step(`measured:${round}`, () => Promise.resolve(RESULT)));
    }
    return null;
  });
  const short = workflow<string, null, null>("bench", "1", async (ctx, input) => {
    await steps(ctx, SHORT, () => undefined);
    if (input === "warm up") return null;
    shortRun.resolve(ctx);
    return measured.promise;
  });
  await withEngine(
    (sqlite) => openBenchEngine(sqlite, short, null),
    async (engine) => {
      // Go past the first checkpoint like the long run: until then the WAL grows with every commit.
      for (let run = 0; run < 5; run++) await engine.drive(await engine.start("bench", "warm up"));
      const driven = engine.drive(await engine.start("bench", "measure"));
      await withEngine((sqlite) => openBenchEngine(sqlite, long, null), drive);
      measured.resolve(null);
      await driven;
    },
  );
  const [last, first] = [trimmedMean(times.long), trimmedMean(times.short)];
  const ratio = last / first;
  const memory = `${mb(peak.rss)} (before: ${mb(before)}); ${mb(peak.heap)}`;
  return [
    { what: `a step after ${LONG} / after ${SHORT}`, value: `${us(last)} / ${us(first)}`, ratio, bar: "≤ 1.25 (flat)", ok: ratio <= 1.25 },
    { what: `memory of a ${LONG}-step run (rss; heap)`, value: memory, ratio: null, bar: "< 200 MB", ok: peak.rss < 200 * 2 ** 20 },
  ];
}

async function steps(ctx: Ctx, count: number, sometimes: () => void): Promise<void> {
  for (let number = 0; number < count; number++) {
    await ctx.step(`step:${number}`, () => Promise.resolve(RESULT));
    if (number % 500 === 0) sometimes();
  }
}

/** The time a new engine needs to replay a run that was stopped after RESUMED steps. */
async function resume(): Promise<BenchRow> {
  const arrived = { first: Promise.withResolvers<number>(), second: Promise.withResolvers<number>() };
  const halting = workflow<null, null, PromiseWithResolvers<number>>("bench", "1", async (ctx, _input, arrival) => {
    await steps(ctx, RESUMED, () => undefined);
    arrival.resolve(performance.now());
    return ctx.sleep("until stopped", 3_600_000).then(() => null);
  });
  let took = 0;
  await withEngine(
    (sqlite) => openBenchEngine(sqlite, halting, arrived.first),
    async (engine, sqlite) => {
      const runId = await engine.start("bench", null);
      await driveUntil(engine, runId, arrived.first.promise);
      const started = performance.now();
      took = (await driveUntil(await openBenchEngine(sqlite, halting, arrived.second), runId, arrived.second.promise)) - started;
    },
  );
  return {
    what: `resume of a ${RESUMED}-step run (chain verified)`,
    value: `${took.toFixed(0)} ms`,
    ratio: null,
    bar: "< 1000 ms",
    ok: took < 1000,
  };
}

async function driveUntil(engine: Engine, runId: string, arrival: Promise<number>): Promise<number> {
  const driven = engine.drive(runId);
  const at = await arrival;
  await engine.requestStop(runId, "measured");
  await driven;
  return at;
}

async function withEngine(
  open: (sqlite: Sqlite) => Promise<Engine>,
  work: (engine: Engine, sqlite: Sqlite) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"));
  const sqlite = openSqlite(join(folder, "bench.db"));
  await work(await open(sqlite), sqlite);
  await sqlite.close();
  rmSync(folder, { recursive: true });
}

async function drive(engine: Engine): Promise<void> {
  await engine.drive(await engine.start("bench", null));
}

function openBenchEngine<K>(sqlite: Sqlite, flow: Parameters<typeof openEngine<K>>[0]["workflows"][number], kernel: K): Promise<Engine> {
  return openEngine({
    sqlite,
    blobs: { put: unused, get: unused },
    inbox: { open: unused, close: unused },
    clock: systemClock,
    ids: systemIds,
    workflows: [flow],
    kernel,
  });
}

/** Drops the slowest and fastest twentieth, because checkpoints and other processes hit both sides at random. */
function trimmedMean(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  const cut = Math.floor(sorted.length / 20);
  const kept = sorted.slice(cut, sorted.length - cut);
  return kept.reduce((sum, time) => sum + time, 0) / kept.length;
}

const unused = () => Promise.reject(new Error("The benchmark spills and asks nothing."));
const mb = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MB`;
const us = (ms: number): string => `${(ms * 1000).toFixed(0)} µs`;
