import { PHASES, type CriticalityPhase } from "../routing/roles.ts";
import type { TelemetryEvent } from "./events.ts";
import type { CriticalityTelemetry, ModelUsage } from "./telemetry.ts";

type Cost = CriticalityTelemetry["cost"];

/** The sums over the events of a run, up to now. A value: adding an event gives the next one, at a cost that does not grow. */
export interface TelemetryTally {
  readonly startedAt: string;
  readonly completedAt: string | null;
  readonly cost: Cost;
  readonly byPhase: CriticalityTelemetry["duration"]["byPhase"];
  readonly escalated: ReadonlySet<string>;
  readonly circuitBreaks: number;
  readonly blocks: number;
  /** To which phase the time since the last event belongs; other names are no phase. */
  readonly phase: string;
  readonly lastAt: string;
}

export function startTally(startedAt: string): TelemetryTally {
  return {
    startedAt,
    completedAt: null,
    cost: { totalTokensIn: 0, totalTokensOut: 0, totalUSD: 0, byModel: {} },
    byPhase: {},
    escalated: new Set(),
    circuitBreaks: 0,
    blocks: 0,
    phase: "ignition",
    lastAt: startedAt,
  };
}

/** Adds an event. A phase that is entered again adds up; time while blocked belongs to none. */
export function addEvent(tally: TelemetryTally, one: TelemetryEvent): TelemetryTally {
  const timed = { ...tally, byPhase: withTime(tally, one.timestamp), lastAt: one.timestamp };
  switch (one.event) {
    case "model_call":
      return { ...timed, cost: withCall(tally.cost, one.data) };
    case "phase_transition":
      return { ...timed, phase: one.data.to, completedAt: one.data.to === "completed" ? one.timestamp : tally.completedAt };
    case "escalation":
      return { ...timed, escalated: new Set([...tally.escalated, one.data.function]) };
    case "circuit_break":
      return { ...timed, circuitBreaks: tally.circuitBreaks + 1 };
    case "block":
      return { ...timed, blocks: tally.blocks + 1 };
  }
}

function withTime({ byPhase, phase, lastAt }: TelemetryTally, now: string): TelemetryTally["byPhase"] {
  return isPhase(phase) ? { ...byPhase, [phase]: (byPhase[phase] ?? 0) + elapsedMs(lastAt, now) } : byPhase;
}

function withCall(cost: Cost, { model, tokensIn, tokensOut, usd }: ModelUsage & { readonly model: string }): Cost {
  // Object.hasOwn: a model may be called `constructor`.
  const before = Object.hasOwn(cost.byModel, model) ? cost.byModel[model] : undefined;
  const ofModel = {
    tokensIn: (before?.tokensIn ?? 0) + tokensIn,
    tokensOut: (before?.tokensOut ?? 0) + tokensOut,
    usd: (before?.usd ?? 0) + usd,
  };
  return {
    totalTokensIn: cost.totalTokensIn + tokensIn,
    totalTokensOut: cost.totalTokensOut + tokensOut,
    totalUSD: cost.totalUSD + usd,
    byModel: Object.fromEntries([...Object.entries(cost.byModel).filter(([name]) => name !== model), [model, ofModel]]),
  };
}

function isPhase(name: string): name is CriticalityPhase {
  return (PHASES as readonly string[]).includes(name);
}

/** Clocks can be set back: never less than zero. */
export function elapsedMs(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from));
}
