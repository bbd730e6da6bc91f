import type { SkillName, PlayedAlias } from "../models/skills.ts";
import type { HumanQuery } from "./block.ts";
import type { ExtensionPhase, PhaseState } from "./states.ts";
import { actionsOf, type StateRef, type Transition, type TransitionAction } from "./transition.ts";

/** The work that a sub-state waits for. */
export type Pending =
  | { readonly type: "awaitingModel"; readonly call: { readonly role: PlayedAlias; readonly prompt: SkillName | (string & {}) } }
  | { readonly type: "awaitingCompiler" }
  | { readonly type: "awaitingTests"; readonly scope: "function" | "cluster" | "transform" }
  | { readonly type: "waiting"; readonly query: HumanQuery };

const COMPILER: Pending = { type: "awaitingCompiler" };

/** What is pending: the work for which the rows into the sub-state ask. A sub-state into which none does waits for a person. */
export function pendingOf(phase: PhaseState | ExtensionPhase, table: readonly Transition[]): Pending {
  const name = `${phase.phase}.${phase.subState.type}`;
  const work = table.filter(({ to }) => isSubState(to, name)).flatMap(({ action }) => actionsOf(action).flatMap(workOf));
  return byData(phase) ?? work[0] ?? { type: "waiting", query: queryFor(name, table) };
}

function workOf(action: TransitionAction): Pending[] {
  switch (action.type) {
    case "invokeModel":
      return [{ type: "awaitingModel", call: { role: action.role, prompt: action.prompt } }];
    case "runCompiler":
      return [COMPILER];
    case "runTests":
      return [{ type: "awaitingTests", scope: action.scope }];
    default:
      return [];
  }
}

/** Two sub-states wait for different work in turn, as their data say. */
function byData(phase: PhaseState | ExtensionPhase): Pending | null {
  const { subState } = phase as PhaseState;
  if (phase.phase === "ignition" && subState.type === "synthesizing") {
    const { architectResponse, auditorResponse } = subState.data;
    if (architectResponse !== null && auditorResponse === null)
      return { type: "awaitingModel", call: { role: "auditor_model", prompt: "audit_proposal" } };
  }
  if (phase.phase === "injection" && subState.type === "verifying")
    return subState.data.verificationStep === "compile" ? COMPILER : { type: "awaitingTests", scope: "function" };
  return null;
}

export function isSubState(ref: StateRef, name: string): boolean {
  return ref.level === "phase" && `${ref.phase}.${ref.subState}` === name;
}

const OPTIONS: Readonly<Record<string, { readonly label: string; readonly implications: readonly string[] }>> = {
  approve: { label: "Approve", implications: ["spec.toml is written and does not change any more."] },
  conditional: { label: "Approve with conditions", implications: ["Your conditions are recorded as provisional."] },
  revise: { label: "Revise", implications: ["The interview opens at the phase concerned; approved sections stay."] },
  reject: { label: "Reject", implications: ["The interview is archived and starts again."] },
};

/** A question with the answers that the rows of the sub-state know. */
function queryFor(name: string, table: readonly Transition[]): HumanQuery {
  const answers = new Set(
    table.filter(({ from }) => isSubState(from, name)).flatMap(({ guard }) => JSON.stringify(guard).match(RESPONSES) ?? []),
  );
  const options = [...answers].map((id) => ({ id, label: OPTIONS[id]?.label ?? id, implications: [...(OPTIONS[id]?.implications ?? [])] }));
  const question = name === "ignition.awaitingApproval" ? "Is this the system you want?" : `How should ${name} go on?`;
  return { id: name, severity: "blocking", category: name, question, options };
}

const RESPONSES = /(?<="responseType":")[^"]+/g;
