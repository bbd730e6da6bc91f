import type { DispatchedRole } from "../agents.ts";
import { ROLE_ARTIFACTS, type ArtifactsOf } from "./artifacts.ts";
import type { OutputOf } from "./output.ts";

/** A BLOCKED result in the role's name, made by a check before the dispatch: no model was called. */
export function blockedOutput<R extends DispatchedRole>(role: R, taskId: string, reasons: readonly [string, ...string[]]): OutputOf<R> {
  return {
    status: "BLOCKED",
    summary: reasons[0],
    artifacts: ROLE_ARTIFACTS[role].parse({ notes: reasons }) as ArtifactsOf<R>,
    gates: { meets_definition_of_done: false, needs_review: false, needs_tests: false, security_concerns: [] },
    next: { recommended_agent: "Orchestrator", recommended_task_id: taskId, reason: "A check before the dispatch failed." },
  };
}
