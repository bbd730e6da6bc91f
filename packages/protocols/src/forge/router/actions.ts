import type { RunFact } from "../rules/confidence.ts";
import type { Step } from "./state.ts";

export const GATES = { "gate-post-research": "1a", "gate-post-planning": "4a" } as const satisfies Record<string, Step>;
export type GateId = keyof typeof GATES;

export type RouteAction =
  | { readonly type: "proceed"; readonly warn: boolean }
  /** Neither of them ends a run. */
  | { readonly type: "pushback"; readonly how: "none" | "log" | "ask" }
  /** Dispatch these instances once more. */
  | { readonly type: "retry"; readonly instances: readonly string[] }
  | { readonly type: "gate"; readonly gate: GateId }
  | { readonly type: "go"; readonly step: Step }
  /** To the designer with the findings, then a review in the next round. */
  | { readonly type: "revise-design" }
  | { readonly type: "next-wave" }
  /** To the planner with the verification findings. */
  | { readonly type: "replan"; readonly tasks: readonly string[] }
  /** To the implementer in revert mode; then to the planner, or on with the findings documented. */
  | { readonly type: "revert"; readonly tasks: readonly string[]; readonly next: "replan" | "next-wave" | "code-review" }
  /** To the implementer with the findings, then staging, verification of the affected tasks and the next round. */
  | { readonly type: "fix" }
  | { readonly type: "commit" }
  /** The changes stay staged for a person. */
  | { readonly type: "leave-staged" }
  | { readonly type: "abort" }
  | { readonly type: "fail"; readonly reason: string };

/** The defined ways out where a loop is spent or a role fails; the 21 rows themselves have none. */
export const ESCALATIONS = {
  "agent-failed": "A role that the run needs failed after its one retry: the run ends, and its outputs stay.",
  "review-incomplete": "Fewer than three verdicts are in the ledger: the review cannot be evaluated.",
  "evidence-missing": "A baseline or the staging is missing: no verifier is dispatched.",
  "design-review-exhausted": "The second round has no two approvals: planning goes on with the open findings as constraints.",
  "verification-exhausted": "The third iteration failed: the tasks are reverted and documented, and the confidence is Low.",
  "code-review-exhausted": "The second round has no two approvals: the findings become known issues, and the confidence is Low.",
} as const;
export type EscalationPath = keyof typeof ESCALATIONS;

export interface RouteOutcome {
  readonly action: RouteAction;
  readonly escalation?: EscalationPath;
  /** What this decision adds to what the confidence of the run is computed from. */
  readonly facts?: readonly RunFact[];
}

/** A routing decision as it is recorded. */
export interface RouteDecision {
  readonly row: number;
  readonly escalation: EscalationPath | null;
  readonly action: RouteAction;
  readonly facts: readonly RunFact[];
}
