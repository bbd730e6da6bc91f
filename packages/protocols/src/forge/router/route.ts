import { GATES, type RouteAction, type GateId, type RouteDecision } from "./actions.ts";
import type { RouteInput } from "./inputs.ts";
import type { RouteState } from "./state.ts";
import { DECISION_TABLE } from "./table.ts";

const ANY_AGENT_FIRST = [
  ...DECISION_TABLE.filter(({ input }) => input === "any agent"),
  ...DECISION_TABLE.filter(({ input }) => input !== "any agent"),
];

/** One routing decision: the first row that matches. It reads nothing but its arguments. */
export function route(state: RouteState, input: RouteInput): RouteDecision {
  for (const { row, decide } of ANY_AGENT_FIRST) {
    const outcome = decide(state, input);
    if (outcome !== null) return { row, escalation: outcome.escalation ?? null, action: outcome.action, facts: outcome.facts ?? [] };
  }
  throw new TypeError(`No row of the decision table matches ${JSON.stringify(input)}.`);
}

/** What the answer at an approval gate leads to. */
export function routeGate(gate: GateId, option: string): RouteAction | null {
  return GATE_ANSWERS[gate][option] ?? null;
}

const GATE_ANSWERS: Readonly<Record<GateId, Readonly<Record<string, RouteAction>>>> = {
  "gate-post-research": { proceed: { type: "go", step: "2" }, expand: { type: "go", step: "1" }, abort: { type: "abort" } },
  "gate-post-planning": { approve: { type: "go", step: "5" }, revise: { type: "go", step: "4" }, abort: { type: "abort" } },
};

/** The state after an action: where the run is, and its counters. */
export function advance(state: RouteState, action: RouteAction): RouteState {
  const at = (current_step: RouteState["current_step"], counters: Partial<RouteState["counters"]> = {}): RouteState => {
    return { ...state, current_step, counters: { ...state.counters, ...counters } };
  };
  const { design_round, code_round, iteration } = state.counters;
  switch (action.type) {
    case "gate":
      return at(GATES[action.gate]);
    case "go":
      return at(action.step);
    case "revise-design":
      return at("3", { design_round: design_round + 1 });
    case "next-wave":
      return at("5", { iteration: 1 });
    case "replan":
      return at("4", { iteration: iteration + 1 });
    case "revert":
      if (action.next === "replan") return at("4", { iteration: iteration + 1 });
      return at(action.next === "next-wave" ? "5" : "7", { iteration: 1 });
    case "fix":
      return at("5", { code_round: code_round + 1, iteration: 1 });
    case "commit":
    case "leave-staged":
      return at("9");
    default:
      return state;
  }
}

/** The state with the risk of a new plan. */
export function withPlan(state: RouteState, input: Extract<RouteInput, { readonly input: "plan" }>): RouteState {
  return { ...state, overall_risk: input.overall_risk };
}
