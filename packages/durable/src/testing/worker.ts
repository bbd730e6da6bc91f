/** A real process that drives one run: `node worker.ts '<JSON of WorkerOptions>'`. Reports each event as a line of JSON on stdout. */
import { appendFileSync } from "node:fs";
import { workflow } from "../ctx.ts";
import { openEngine } from "../engine.ts";
import { systemClock, systemIds } from "../environment.ts";
import { toFailure } from "../errors.ts";
import { openSqlite } from "../sqlite.ts";
import { memoryBlobs, memoryInbox } from "./memory.ts";

export interface WorkerOptions {
  readonly database: string;
  readonly runId: string;
  /** Each body that ends appends a line to this file. */
  readonly trace: string;
  readonly steps: number;
  readonly bodyMs?: number;
  readonly leaseMs?: number;
  readonly maxCrashes?: number;
  /** A body that never ends. */
  readonly hangAt?: number;
  /** Sends SIGKILL to itself right after the commit of its nth event. */
  readonly killAtEvent?: number;
}

export type WorkerReport = { readonly started: number } | { readonly status: string } | { readonly error: string };

const options = JSON.parse(process.argv[2] ?? "{}") as WorkerOptions;
const say = (report: WorkerReport) => void process.stdout.write(`${JSON.stringify(report)}\n`);

async function body(id: string, number: number): Promise<string> {
  say({ started: number });
  if (number === options.hangAt) await new Promise((resolve) => setTimeout(resolve, 3_600_000));
  await new Promise((resolve) => setTimeout(resolve, options.bodyMs ?? 0));
  appendFileSync(options.trace, `${id}\n`);
  return id;
}

const member = workflow<number, string, undefined>("member", "1", (ctx, number) => ctx.step("work", () => body(ctx.runId, number)));

const flow = workflow<null, string[], undefined>("flow", "1", async (ctx) => {
  const done: string[] = [];
  for (let number = 0; number < options.steps; number++) {
    const next = () =>
      number % 4 === 3 ? ctx.child(`member:${number}`, member, number) : ctx.step(`step:${number}`, () => body(`step:${number}`, number));
    done.push(await next());
  }
  await ctx.all([0, 1, 2].map((number) => () => ctx.step(`last:${number}`, () => body(`last:${number}`, 100 + number))));
  return done;
});

let events = 0;
const engine = await openEngine({
  sqlite: openSqlite(options.database),
  blobs: memoryBlobs(),
  inbox: memoryInbox(),
  clock: systemClock,
  ids: systemIds,
  workflows: [flow],
  kernel: undefined,
  pollMs: 20,
  leaseMs: options.leaseMs ?? 30_000,
  maxCrashes: options.maxCrashes ?? 5,
  observe: () => {
    if (++events === options.killAtEvent) process.kill(process.pid, "SIGKILL");
  },
});

try {
  await engine.start("flow", null, { runId: options.runId });
  const outcome = await engine.drive(options.runId);
  say({ status: outcome.status });
} catch (error) {
  say({ error: toFailure(error).code });
}
