import { PHASE_TITLES } from "../machine/states.ts";
import { PHASES, type CriticalityPhase } from "../routing/roles.ts";
import type { TelemetryEvent } from "../telemetry/events.ts";
import type { CriticalityConfig } from "./config.ts";

type Orchestrator = Pick<CriticalityConfig["orchestrator"], "ignition_max_seconds" | "lattice_max_seconds">;

/** Phases whose models have a common limit. In the others each function and each cluster has one. */
const LIMIT_KEYS: Readonly<Partial<Record<CriticalityPhase, keyof Orchestrator>>> = {
  ignition: "ignition_max_seconds",
  lattice: "lattice_max_seconds",
};

/** How long models have worked since the phase was entered. Time in which a person thinks does not count. */
export interface PhaseTime {
  readonly place: string;
  readonly ms: number;
}

/** Adds the calls of one transition. A phase that is entered, also after a block, is counted from 0. */
export function addPhaseTime(time: PhaseTime, events: readonly TelemetryEvent[], place: string): PhaseTime {
  if (place !== time.place) return { place, ms: 0 };
  const ms = events.reduce((total, one) => total + (one.event === "model_call" ? one.data.durationMs : 0), time.ms);
  return { place, ms };
}

/** What is said of a phase that is over its limit; null within it. */
export function overtimeText({ place, ms }: PhaseTime, orchestrator: Orchestrator): string | null {
  const phase = PHASES.find((one) => one === place);
  const key = phase === undefined ? undefined : LIMIT_KEYS[phase];
  if (phase === undefined || key === undefined || ms <= orchestrator[key] * 1_000) return null;
  const worked = Math.round(ms / 1_000);
  return `Models have worked for ${worked} s in ${PHASE_TITLES[phase]}; ${key} allows ${orchestrator[key]} s.`;
}
