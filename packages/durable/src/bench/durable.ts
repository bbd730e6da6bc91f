import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GENESIS } from "../chain.ts";
import { workflow } from "../ctx.ts";
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

/** Every figure comes with its floor from the same run and the same disk. */
export async function benchDurable(): Promise<BenchRow[]> {
  return [await stepAgainstInsert(), ...(await longRun()), await resume()];
}

/** Both write the same row to the same file over the same connection, in turn, so that neither has the better disk or the warmer cache. */
async function stepAgainstInsert(): Promise<BenchRow> {
  const rounds = Math.min(3000, LONG);
  const times = { step: [] as number[], bare: [] as number[] };
  const steps = workflow<null, null, Sqlite>("bench", "1", async (ctx, _input, sqlite) => {
    await sqlite.exclusive((database) => database.exec(BARE_TABLE));
    for (let round = 0; round < rounds; round++) {
      const started = performance.now();
      await ctx.step(`step:${round}`, () => Promise.resolve(RESULT));
      const between = performance.now();
      await sqlite.write(() => bareInsert(sqlite, ctx.runId, round));
      times.step.push(between - started);
      times.bare.push(performance.now() - between);
    }
    return null;
  });
  await withEngine((sqlite) => openBenchEngine(sqlite, steps, sqlite), drive);
  const [step, bare] = [trimmedMean(times.step), trimmedMean(times.bare)];
  const ratio = step / bare;
  return {
    what: "durable step / bare insert + commit (WAL, synchronous=FULL)",
    value: `${us(step)} / ${us(bare)}`,
    ratio,
    bar: "≤ 1.5",
    ok: ratio <= 1.5,
  };
}

const BARE_TABLE =
  "CREATE TABLE bare (stream TEXT, seq INTEGER, kind TEXT, name TEXT, key TEXT, at INTEGER, payload TEXT, prev TEXT, hash TEXT)";

function bareInsert(sqlite: Sqlite, stream: string, round: number): void {
  const statement = sqlite.prepare("INSERT INTO bare VALUES (?, ?, 'step', ?, ?, ?, ?, ?, ?)");
  statement.run(stream, round, `step:${round}`, `step:${round}`, Date.now(), JSON.stringify({ ms: 0, value: RESULT }), GENESIS, GENESIS);
}

/** Cost and memory of one long run. */
async function longRun(): Promise<BenchRow[]> {
  const times: number[] = [];
  let peakRss = 0;
  let peakHeap = 0;
  const baseRss = process.memoryUsage.rss();
  const long = workflow<null, null, null>("bench", "1", async (ctx) => {
    for (let number = 0; number < LONG; number++) {
      const started = performance.now();
      await ctx.step(`step:${number}`, () => Promise.resolve(RESULT));
      times.push(performance.now() - started);
      if (number % 500 !== 0) continue;
      peakRss = Math.max(peakRss, process.memoryUsage.rss());
      peakHeap = Math.max(peakHeap, process.memoryUsage().heapUsed);
    }
    return null;
  });
  await withEngine((sqlite) => openBenchEngine(sqlite, long, null), drive);
  const window = Math.min(1000, LONG / 2);
  const [first, last] = [trimmedMean(times.slice(SHORT, SHORT + window)), trimmedMean(times.slice(-window))];
  return [
    {
      what: `step ${LONG} / step ${SHORT} of one run`,
      value: `${us(last)} / ${us(first)}`,
      ratio: last / first,
      bar: "≤ 1.5 (flat)",
      ok: last / first <= 1.5,
    },
    {
      what: `memory of a ${LONG}-step run (rss; heap)`,
      value: `${mb(peakRss)} (before: ${mb(baseRss)}); ${mb(peakHeap)}`,
      ratio: null,
      bar: "< 200 MB",
      ok: peakRss < 200 * 2 ** 20,
    },
  ];
}

/** A new engine on the file of a run that was stopped after so many steps: until its function stands where it stood. */
async function resume(): Promise<BenchRow> {
  const arrived = { first: Promise.withResolvers<number>(), second: Promise.withResolvers<number>() };
  const halting = workflow<null, null, PromiseWithResolvers<number>>("bench", "1", async (ctx, _input, arrival) => {
    for (let number = 0; number < RESUMED; number++) await ctx.step(`step:${number}`, () => Promise.resolve(RESULT));
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

/** Without the slowest and fastest twentieth: a checkpoint or a busy neighbour hits either side at random. */
function trimmedMean(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  const cut = Math.floor(sorted.length / 20);
  const kept = sorted.slice(cut, sorted.length - cut);
  return kept.reduce((sum, time) => sum + time, 0) / kept.length;
}

const unused = () => Promise.reject(new Error("The benchmark spills and asks nothing."));
const mb = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MB`;
const us = (ms: number): string => `${(ms * 1000).toFixed(0)} µs`;
