import { SCALING_SIZES, type ScalingSample } from "./scaling.ts";

/** Measures calls at one size. Each function returns milliseconds. */
export interface MeasuredCalls {
  /** Makes the arguments of `calls` calls of size `n`, which is not measured. */
  prepare(n: number, calls: number): void;
  /** Calls with all the arguments, `rounds` times over. With 0 rounds it measures the measuring. */
  run(rounds: number): number;
}

export interface MeasureOptions {
  readonly repeats?: number;
  /** The least time of one measurement. */
  readonly minimumMs?: number;
}

/** Elements of all arguments of one measurement. */
const MAX_ELEMENTS = 1_000_000;
const MAX_CALLS = 20_000;
const MAX_ROUNDS = 4096;
/** A call this slow needs no repeats for accuracy. */
const SLOW_MS = 30;

interface SizePlan {
  readonly n: number;
  count: number;
  rounds: number;
  repeats: number;
  readonly runs: number[];
  readonly idle: number[];
}

/** Sizes take turns, so that a slow phase of the machine meets all of them. */
export function measureScaling(calls: MeasuredCalls, { repeats = 9, minimumMs = 4 }: MeasureOptions = {}): ScalingSample[] {
  const plans = SCALING_SIZES.map((n): SizePlan => {
    return { n, count: Math.max(1, Math.min(MAX_CALLS, Math.floor(MAX_ELEMENTS / n))), rounds: 1, repeats, runs: [], idle: [] };
  });
  for (const plan of plans) calibrate(calls, plan, minimumMs);
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const plan of plans.filter((one) => repeat < one.repeats)) {
      calls.prepare(plan.n, plan.count);
      plan.idle.push(calls.run(0), calls.run(0));
      plan.runs.push(calls.run(plan.rounds));
    }
  }
  // The least idle time of all: one that was interrupted would make a run look faster than it was.
  return plans.map(({ n, count, rounds, runs, idle }) => ({ n, times: runs.map((time) => (time - Math.min(...idle)) / (count * rounds)) }));
}

/** Fewer calls of a slow function, more rounds of a fast one. The first calls also let the compiler optimise. */
function calibrate(calls: MeasuredCalls, plan: SizePlan, minimumMs: number): void {
  calls.prepare(plan.n, 1);
  const once = leastTime(calls, 1);
  if (once > SLOW_MS) plan.repeats = Math.min(plan.repeats, 3);
  if (once * plan.count > minimumMs * 8) plan.count = Math.max(1, Math.floor((minimumMs * 8) / once));
  for (; plan.rounds < MAX_ROUNDS; plan.rounds *= 2) {
    calls.prepare(plan.n, plan.count);
    if (leastTime(calls, plan.rounds) - leastTime(calls, 0) >= minimumMs) return;
  }
}

/** One interrupted measurement must not look like enough work. */
function leastTime(calls: MeasuredCalls, rounds: number): number {
  const first = Math.min(calls.run(rounds), calls.run(rounds));
  return first > SLOW_MS ? first : Math.min(first, calls.run(rounds));
}
