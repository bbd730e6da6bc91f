import { PHASE_TITLES, subStateName, type CriticalityState, type SubStateName } from "../machine/states.ts";
import type { CriticalityPhase } from "../routing/roles.ts";
import { phaseOf } from "../view.ts";

const SUB_STATE_TITLES: Readonly<Record<SubStateName, string>> = {
  "ignition.interviewing": "Interviewing",
  "ignition.synthesizing": "Synthesizing the specification",
  "ignition.awaitingApproval": "Awaiting approval",
  "lattice.generatingStructure": "Generating the structure",
  "lattice.compilingCheck": "Compiling the structure",
  "lattice.repairingStructure": "Repairing the structure",
  "compositionAudit.auditing": "Auditing",
  "compositionAudit.reportingContradictions": "Reporting contradictions",
  "injection.selectingFunction": "Selecting a function",
  "injection.implementing": "Implementing",
  "injection.verifying": "Verifying",
  "injection.escalating": "Escalating",
  "mesoscopic.generatingTests": "Generating tests",
  "mesoscopic.executingCluster": "Executing a cluster's tests",
  "mesoscopic.handlingVerdict": "Handling a verdict",
  "massDefect.analyzingComplexity": "Analyzing complexity",
  "massDefect.applyingTransform": "Applying a transformation",
  "massDefect.verifyingSemantics": "Verifying a transformation",
};

/** Where a run is, by ids and by titles. */
export interface RunPlace {
  readonly state: CriticalityState["type"];
  /** Of a blocked run: where it was blocked. Null when it is complete. */
  readonly phase: CriticalityPhase | null;
  readonly phase_title: string | null;
  readonly sub_state: string | null;
  readonly sub_state_title: string | null;
}

export function runPlace(state: CriticalityState): RunPlace {
  const phase = phaseOf(state);
  const name = state.type === "blocked" ? `${state.data.priorPhase}.${state.data.priorSubState}` : subStateName(state);
  const title = Object.hasOwn(SUB_STATE_TITLES, name) ? SUB_STATE_TITLES[name as SubStateName] : null;
  return {
    state: state.type,
    phase,
    phase_title: phase === null ? null : PHASE_TITLES[phase],
    sub_state: title === null ? null : (name.split(".")[1] ?? null),
    sub_state_title: title,
  };
}
