import { z } from "zod";
import { PHASES, type CriticalityPhase } from "../routing/roles.ts";
import type { TelemetryEvent } from "./events.ts";

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
  const calls = eventsOf(events, "model_call").map(({ data }) => data);
  const escalated = new Set(eventsOf(events, "escalation").map(({ data }) => data.function));
  const end = eventsOf(events, "phase_transition").findLast(({ data }) => data.to === "completed");
  const last = events.at(-1)?.timestamp ?? run.startedAt;
  return {
    runId: run.runId,
    projectName: run.projectName,
    startedAt: run.startedAt,
    completedAt: end?.timestamp ?? null,
    cost: {
      totalTokensIn: sum(calls, ({ tokensIn }) => tokensIn),
      totalTokensOut: sum(calls, ({ tokensOut }) => tokensOut),
      totalUSD: sum(calls, ({ usd }) => usd),
      byModel: usageBy(calls, ({ model }) => model),
    },
    duration: { totalMs: elapsed(run.startedAt, last), byPhase: durations(run.startedAt, events) },
    quality: {
      escalationRate: reached.functionsTotal === 0 ? 0 : escalated.size / reached.functionsTotal,
      circuitBreakerTriggers: eventsOf(events, "circuit_break").length,
      humanInterventions: eventsOf(events, "block").length,
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

/** Time in each phase, up to the last event. A phase that is entered again adds up; time while blocked belongs to none. */
function durations(startedAt: string, events: readonly TelemetryEvent[]): CriticalityTelemetry["duration"]["byPhase"] {
  const spent: Partial<Record<CriticalityPhase, number>> = {};
  let [phase, since]: [string, string] = ["ignition", startedAt];
  for (const { event, timestamp, data } of events) {
    if (isPhase(phase)) spent[phase] = (spent[phase] ?? 0) + elapsed(since, timestamp);
    since = timestamp;
    if (event === "phase_transition") phase = data.to;
  }
  return spent;
}

function isPhase(name: string): name is CriticalityPhase {
  return (PHASES as readonly string[]).includes(name);
}

/** Clocks can be set back: never less than zero. */
function elapsed(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from));
}

function sum<T>(values: readonly T[], amountOf: (value: T) => number): number {
  return values.reduce((total, value) => total + amountOf(value), 0);
}
