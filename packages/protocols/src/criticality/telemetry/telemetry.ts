import { z } from "zod";
import { PHASES } from "../routing/roles.ts";
import type { TelemetryEvent } from "./events.ts";
import { addEvent, elapsedMs, startTally, type TelemetryTally } from "./tally.ts";

export const TELEMETRY_FILE = "telemetry.json";

const count = z.int().min(0);
const amount = z.number().min(0);
const usage = z.strictObject({ tokensIn: count, tokensOut: count, usd: amount });

const progress = z.strictObject({
  phase: z.enum(PHASES),
  functionsTotal: count,
  functionsComplete: count,
  testsTotal: count,
  testsPassing: count,
});

export const telemetrySchema = z.strictObject({
  runId: z.string(),
  projectName: z.string(),
  startedAt: z.iso.datetime(),
  completedAt: z.iso.datetime().nullable(),
  cost: z.strictObject({ totalTokensIn: count, totalTokensOut: count, totalUSD: amount, byModel: z.record(z.string(), usage) }),
  duration: z.strictObject({ totalMs: amount, byPhase: z.partialRecord(z.enum(PHASES), amount) }),
  quality: z.strictObject({ escalationRate: amount, circuitBreakerTriggers: count, humanInterventions: count }),
  progress,
});

export type CriticalityTelemetry = z.output<typeof telemetrySchema>;
export type RunProgress = z.output<typeof progress>;
export type ModelUsage = z.output<typeof usage>;

export interface TelemetryRun {
  readonly runId: string;
  readonly projectName: string;
  readonly startedAt: string;
}

type EventOf<E extends TelemetryEvent["event"]> = Extract<TelemetryEvent, { event: E }>;

/** The summary of a run, from its events alone. `progress` is what the current state says. */
export function telemetryOf(run: TelemetryRun, events: readonly TelemetryEvent[], reached: RunProgress): CriticalityTelemetry {
  return telemetryFrom(run, events.reduce(addEvent, startTally(run.startedAt)), reached);
}

export function telemetryFrom(run: TelemetryRun, tally: TelemetryTally, reached: RunProgress): CriticalityTelemetry {
  const { completedAt, cost, byPhase, lastAt, escalated, circuitBreaks, blocks } = tally;
  return {
    runId: run.runId,
    projectName: run.projectName,
    startedAt: run.startedAt,
    completedAt,
    cost,
    duration: { totalMs: elapsedMs(run.startedAt, lastAt), byPhase },
    quality: {
      escalationRate: reached.functionsTotal === 0 ? 0 : escalated.size / reached.functionsTotal,
      circuitBreakerTriggers: circuitBreaks,
      humanInterventions: blocks,
    },
    progress: reached,
  };
}

export function printTelemetry(telemetry: CriticalityTelemetry): string {
  return `${JSON.stringify(telemetry, null, 2)}\n`;
}

export function eventsOf<E extends TelemetryEvent["event"]>(events: readonly TelemetryEvent[], event: E): EventOf<E>[] {
  return events.filter((one): one is EventOf<E> => one.event === event);
}

export function usageBy<C extends ModelUsage>(calls: readonly C[], keyOf: (call: C) => string): Record<string, ModelUsage> {
  const groups = [...Map.groupBy(calls, keyOf)].map(([key, group]): [string, ModelUsage] => [
    key,
    {
      tokensIn: sum(group, ({ tokensIn }) => tokensIn),
      tokensOut: sum(group, ({ tokensOut }) => tokensOut),
      usd: sum(group, ({ usd }) => usd),
    },
  ]);
  return Object.fromEntries(groups);
}

function sum<T>(values: readonly T[], amountOf: (value: T) => number): number {
  return values.reduce((total, value) => total + amountOf(value), 0);
}
