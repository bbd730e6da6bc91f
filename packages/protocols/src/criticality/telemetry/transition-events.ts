import type { Facts } from "../machine/facts.ts";
import type { CriticalityState } from "../machine/states.ts";
import type { InjectionTier } from "../escalation/attempts.ts";
import type { TelemetryEvent } from "./events.ts";

export interface StateChange {
  readonly before: CriticalityState;
  readonly after: CriticalityState;
  readonly facts: Facts;
  readonly at: string;
}

/** The events of one transition, in order. `modelOf` names the model of a tier. */
export function transitionEvents(
  { before, after, facts, at: timestamp }: StateChange,
  modelOf: (tier: InjectionTier) => string,
): TelemetryEvent[] {
  const events: TelemetryEvent[] = [];
  const action = facts.failure?.action;
  if (action?.type === "escalate") {
    const data = {
      function: functionOf(before),
      from: modelOf(action.from),
      to: modelOf(action.to),
      reason: facts.failure?.failure.type ?? "",
    };
    events.push({ timestamp, event: "escalation", data });
  }
  const broken = circuitBreak(before, after, facts);
  if (broken !== null) events.push({ timestamp, event: "circuit_break", data: broken });
  if (after.type === "blocked") {
    const { reason, priorPhase } = after.data;
    events.push({ timestamp, event: "block", data: { reason: reason.type, phase: priorPhase } });
  }
  const [from, to] = [placeOf(before), placeOf(after)];
  if (from !== to) events.push({ timestamp, event: "phase_transition", data: { from, to } });
  return events;
}

/** The phase; `blocked` or `completed` for a state without one. */
export function placeOf(state: CriticalityState): string {
  return state.type === "active" ? state.data.phase.phase : state.type;
}

function functionOf(state: CriticalityState): string {
  if (state.type !== "active") return "";
  const { subState } = state.data.phase;
  return subState.type === "implementing" || subState.type === "verifying" ? subState.data.functionId : "";
}

/** A breaker stops one function, for a person to decide, or the structure, for Lattice to build again. */
function circuitBreak(before: CriticalityState, after: CriticalityState, { functions, failure }: Facts) {
  if (after.type === "blocked") {
    const { reason } = after.data;
    return reason.type === "circuit_breaker" ? { condition: reason.defect.condition, functions: reason.defect.functions } : null;
  }
  if (placeOf(before) !== "injection" || placeOf(after) !== "lattice") return null;
  const breaker = functions?.breaker ?? null;
  if (breaker !== null) return { condition: breaker.condition, functions: breaker.functions };
  return { condition: failure?.failure.type ?? "coherence", functions: [functionOf(before)].filter((id) => id !== "") };
}
