import type { DispatchedRole } from "../agents.ts";
import { reviewVerdict } from "../checklists/verdicts.ts";
import type { AgentOutput, OutputOf } from "../contract/output.ts";
import { BLOCKERS } from "../session/status.ts";
import type { LoopState } from "../states/states.ts";
import { LOOP_OF } from "./repairs.ts";
import { REVIEW_GATES, type ReviewGate } from "./review-gates.ts";

export type Reaction =
  | { readonly kind: "go_on" }
  | { readonly kind: "repair"; readonly loop: LoopState }
  | { readonly kind: "ask"; readonly about: "review_notes" | "security_decision" | "research_questions" }
  | { readonly kind: "blocked"; readonly blocker: string; readonly detail: string };

/** What the status of a valid output leads to. `askedBefore`: a Researcher's questions were answered once already. */
export function reactionTo<R extends DispatchedRole>(role: R, output: OutputOf<R>, askedBefore = false): Reaction {
  const { status, summary, artifacts } = output as AgentOutput;
  const detail = [summary, ...artifacts.notes].join(" ");
  switch (status) {
    case "FAIL":
      return { kind: "blocked", blocker: BLOCKERS.agentFailed, detail };
    case "BLOCKED":
      return isReviewGate(role) ? { kind: "repair", loop: LOOP_OF[role] } : { kind: "blocked", blocker: BLOCKERS.agentBlocked, detail };
    case "NEEDS_DECISION":
      return { kind: "ask", about: "security_decision" };
    case "NEEDS_INFO":
      return askedBefore ? { kind: "blocked", blocker: BLOCKERS.agentBlocked, detail } : { kind: "ask", about: "research_questions" };
    case "OK":
      return isNoted(role, output) ? { kind: "ask", about: "review_notes" } : { kind: "go_on" };
  }
}

function isReviewGate(role: DispatchedRole): role is ReviewGate {
  return (REVIEW_GATES as readonly DispatchedRole[]).includes(role);
}

function isNoted(role: DispatchedRole, output: { readonly artifacts: unknown }): boolean {
  return role === "Reviewer" && reviewVerdict("OK", (output as OutputOf<"Reviewer">).artifacts.review_comments) === "PASS WITH NOTES";
}
