import type { StateChange } from "./telemetry/transition-events.ts";
import { noMetrics, type RunMetrics } from "./machine/state-file.ts";
import type { RoleAlias } from "./routing/roles.ts";
import type { TelemetryEvent } from "./telemetry/events.ts";
import { addEvent, startTally, type TelemetryTally } from "./telemetry/tally.ts";

/** What has happened in a run, as sums. A value, made from recorded events and facts alone, so that a replay comes to the same. */
export interface RunTrace {
  readonly tally: TelemetryTally;
  readonly metrics: RunMetrics;
}

export function startTrace(startedAt: string): RunTrace {
  return { tally: startTally(startedAt), metrics: noMetrics() };
}

/** Adds one transition with its events. */
export function addTransition(
  { tally, metrics }: RunTrace,
  { facts }: Pick<StateChange, "facts">,
  events: readonly TelemetryEvent[],
): RunTrace {
  const next = events.reduce(addEvent, tally);
  const counted = events.reduce(withEvent, metrics);
  const { compile, tests, clusters } = facts;
  return {
    tally: next,
    metrics: {
      ...counted,
      totalCompilations: counted.totalCompilations + (compile === undefined ? 0 : 1),
      totalTestRuns: counted.totalTestRuns + (tests === undefined && (clusters?.verdict ?? null) === null ? 0 : 1),
      phaseDurations: next.byPhase,
      estimatedCost: next.cost.totalUSD,
    },
  };
}

function withEvent(metrics: RunMetrics, one: TelemetryEvent): RunMetrics {
  if (one.event === "escalation") return { ...metrics, escalations: [...metrics.escalations, one.data] };
  if (one.event !== "model_call") return metrics;
  const role = one.data.role as RoleAlias;
  return {
    ...metrics,
    totalModelCalls: metrics.totalModelCalls + 1,
    modelCallsByRole: { ...metrics.modelCallsByRole, [role]: (metrics.modelCallsByRole[role] ?? 0) + 1 },
  };
}
