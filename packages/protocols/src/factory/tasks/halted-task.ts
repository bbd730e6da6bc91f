import { toFailure, type Failure } from "@slipway/durable/errors";
import type { EngineeringResult, Resumption } from "../engineering/engineering.ts";
import type { EscalationDraft, Halt, ModuleFailure } from "../engineering/halt.ts";
import type { LockedPlan } from "../engineering/plan-task.ts";
import type { EngineeringTask } from "../engineering/ports.ts";
import type { Resume } from "../escalation/resolve.ts";

/** A stopped task, until a person has decided about it. */
export interface HaltedTask {
  readonly draft: EscalationDraft;
  readonly details: Readonly<Record<string, unknown>>;
  /** The interface change it waits for. */
  readonly exception_id: string | null;
  readonly failed: readonly ModuleFailure[];
  readonly locked: LockedPlan | null;
  /** Modules shipped so far. */
  readonly shipped: readonly string[];
}

export function haltedTask({ halt, locked, modules }: Extract<EngineeringResult, { status: "HALTED" }>): HaltedTask {
  const exception_id = halt.cause === "interface_change" ? halt.exception_id : null;
  return { draft: halt.escalation, details: detailsOf(halt), exception_id, failed: failedIn(halt), locked, shipped: modules };
}

/** An unexpected error ended the work on the task, or a person gave it up. */
export function brokenOff(task: EngineeringTask, error: unknown): HaltedTask {
  const { code, message }: Failure = toFailure(error);
  return {
    draft: {
      task_id: task.task_id,
      task_ref: task.task_path,
      debate_trail: { proposals: [], challenges: [], adjudications: [] },
      failed_invariants: [{ invariant: code, evidence: message }],
      minimal_decision_required: `The work on this task ended early (${code}: ${message}). Restart it, give a plan, split or abandon it.`,
      recommended_resolution: "AMEND_SPEC",
      resolution_context: "Modules it has shipped stay in the code index.",
    },
    details: { halted_by: "broke_off", code },
    exception_id: null,
    failed: [],
    locked: null,
    shipped: [],
  };
}

/** A task that depends on an abandoned one. */
export function stuckTask(task: { readonly task_id: string; readonly path: string }, abandoned: readonly string[]): EscalationDraft {
  return {
    task_id: task.task_id,
    task_ref: task.path,
    debate_trail: { proposals: [], challenges: [], adjudications: [] },
    failed_invariants: abandoned.map((id) => ({ invariant: "dependency", evidence: `${id} was abandoned` })),
    minimal_decision_required: `It depends on ${abandoned.join(", ")}, which will not be built. Give other dependencies (AMEND_SPEC with depends_on), split it or abandon it.`,
    recommended_resolution: "AMEND_SPEC",
    resolution_context: "",
  };
}

function failedIn(halt: Halt): readonly ModuleFailure[] {
  if (halt.cause === "module_failed") return halt.failed;
  return halt.cause === "plan_defect" ? [halt.failure] : [];
}

function detailsOf(halt: Halt): Record<string, unknown> {
  const failed = failedIn(halt).map((failure) => ({
    ...failure,
    rounds: failure.rounds.length,
    deliverable: failure.deliverable?.ref ?? null,
  }));
  const { cause: halted_by } = halt;
  switch (halt.cause) {
    case "plan_invalid":
      return { halted_by, plan: halt.plan, problems: halt.problems };
    case "module_failed":
      return { halted_by, failed, abandoned: halt.abandoned, shipped: halt.shipped };
    case "plan_defect":
      return { halted_by, failed, plan: halt.plan, recommendation: halt.recommendation, shipped: halt.shipped };
    case "interface_change":
      return { halted_by, exception_id: halt.exception_id, module_id: halt.module_id, shipped: halt.shipped };
  }
}

/** How the engineering loop resumes the task; null if it starts over. */
export function resumptionFor(resume: Resume, halted: HaltedTask): Resumption | null {
  if (resume.at === "micro_plan") return { kind: "plan", plan: resume.plan };
  if (resume.at === "dispatch" || halted.locked === null) return null;
  const { locked, shipped, failed } = halted;
  const { module_id } = resume;
  const deliverable = failed.find((failure) => failure.module_id === module_id)?.deliverable ?? null;
  const continued = { locked, shipped, module_id, deliverable };
  if (resume.at === "ship") return { ...continued, kind: "override", rationale: resume.adjudication.rationale };
  return { ...continued, kind: "fix", description: resume.proposal.claim, files: resume.proposal.files };
}
