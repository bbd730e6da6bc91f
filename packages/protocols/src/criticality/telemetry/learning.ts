import { FAILURE_TYPES, type FailureType } from "../escalation/failures.ts";
import type { TelemetryEvent } from "./events.ts";
import { eventsOf } from "./telemetry.ts";

export interface ObservedRun {
  readonly project: string;
  readonly isCompleted: boolean;
  readonly events: readonly TelemetryEvent[];
}

export interface FailurePattern {
  readonly model: string;
  readonly reason: string;
  readonly count: number;
  readonly projects: readonly string[];
  readonly proposal: string;
}

const PROPOSALS: Readonly<Record<FailureType, string>> = {
  syntax: "Show the form of a body in the prompt of the model.",
  type: "Give the model definitions of more types.",
  test: "State postconditions that tests check in simpler predicates.",
  timeout: "Split the functions, or raise the time limit.",
  semantic: "Name the purity and the invariants first in the prompt.",
  complexity: "Name the complexity bound first in the prompt.",
  security: "List forbidden calls in the prompt.",
  coherence: "Ask for smaller modules in the prompt of the structurer.",
};

/** Failures of finished runs by model and reason, the most frequent first. For people: no run reads it. Unfinished runs are left out. */
export function failurePatterns(runs: readonly ObservedRun[]): readonly FailurePattern[] {
  const seen = runs
    .filter(({ isCompleted }) => isCompleted)
    .flatMap(({ project, events }) =>
      eventsOf(events, "escalation").map(({ data: { from, reason } }) => ({ model: from, reason, project })),
    );
  const groups = [...Map.groupBy(seen, ({ model, reason }) => JSON.stringify([model, reason])).values()];
  return groups
    .flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const projects = [...new Set(group.map(({ project }) => project))].toSorted();
      return [{ model: first.model, reason: first.reason, count: group.length, projects, proposal: proposalFor(first.reason) }];
    })
    .toSorted((a, b) => b.count - a.count || `${a.model} ${a.reason}`.localeCompare(`${b.model} ${b.reason}`, "en"));
}

function proposalFor(reason: string): string {
  const type = FAILURE_TYPES.find((one) => one === reason);
  return type === undefined ? "Read the transcripts of these attempts." : PROPOSALS[type];
}
