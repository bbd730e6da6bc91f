import { PHASES } from "../routing/roles.ts";
import type { TelemetryEvent } from "./events.ts";
import { eventsOf, usageBy, type ModelUsage, type RunProgress } from "./telemetry.ts";

export interface CostProjection {
  readonly byModel: Readonly<Record<string, ModelUsage>>;
  readonly byPhase: Readonly<Record<string, ModelUsage>>;
  readonly spentUSD: number;
  /** Spent and expected up to the end; null as long as nothing can be told. */
  readonly expectedUSD: number | null;
  readonly suggestions: readonly string[];
}

/** USD per phase of a finished run, to estimate phases that have not begun. */
export type PhaseCosts = Readonly<Record<string, number>>;

/** Above this share of escalated functions, the model that started them costs more than it saves. */
const MAX_ESCALATION = 0.1;

/** What a run has cost, and will cost if it continues as before. Later phases cost what they did in earlier runs, on average. */
export function projectCost(events: readonly TelemetryEvent[], progress: RunProgress, earlier: readonly PhaseCosts[] = []): CostProjection {
  const calls = eventsOf(events, "model_call").map(({ data }) => data);
  const byPhase = usageBy(calls, ({ phase }) => phase);
  const spentUSD = calls.reduce((total, { usd }) => total + usd, 0);
  const rest = PHASES.slice(PHASES.indexOf(progress.phase)).map((phase) =>
    phase === "injection" && progress.phase === phase
      ? restOfInjection(byPhase["injection"]?.usd ?? 0, progress)
      : restOf(phase, byPhase, earlier),
  );
  return {
    byModel: usageBy(calls, ({ model }) => model),
    byPhase,
    spentUSD,
    expectedUSD: rest.includes(null) ? null : rest.reduce<number>((total, usd) => total + (usd ?? 0), spentUSD),
    suggestions: suggestionsFor(events, progress),
  };
}

function restOfInjection(spent: number, { functionsComplete, functionsTotal }: RunProgress): number | null {
  return functionsComplete === 0 ? null : (spent / functionsComplete) * (functionsTotal - functionsComplete);
}

function restOf(phase: string, byPhase: Readonly<Record<string, ModelUsage>>, earlier: readonly PhaseCosts[]): number | null {
  const known = earlier.flatMap((costs) => costs[phase] ?? []);
  if (known.length === 0) return null;
  const usual = known.reduce((total, usd) => total + usd, 0) / known.length;
  return Math.max(0, usual - (byPhase[phase]?.usd ?? 0));
}

/** Which model to assign differently. */
function suggestionsFor(events: readonly TelemetryEvent[], { functionsTotal }: RunProgress): string[] {
  const bySource = Map.groupBy(eventsOf(events, "escalation"), ({ data }) => data.from);
  return [...bySource].flatMap(([model, escalations]) => {
    const functions = new Set(escalations.map(({ data }) => data.function)).size;
    const share = functionsTotal === 0 ? 0 : functions / functionsTotal;
    if (share <= MAX_ESCALATION) return [];
    const to = escalations[0]?.data.to ?? "";
    return [`${Math.round(share * 100)} % of the functions escalated from ${model}; start such functions with ${to}.`];
  });
}
