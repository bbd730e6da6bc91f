import type { DimensionDelta } from "@slipway/languages/contracts/delta";
import type { ExecutionLog } from "@slipway/languages/contracts/evidence";
import type { Adjudication, Challenge, Proposal } from "./debate/schemas.ts";
import type { Unapplied } from "./debate/amendments.ts";
import type { Round } from "./context.ts";
import type { Coverage } from "./coverage.ts";
import type { MicroPlan } from "./micro-plan.ts";

/** The fields of an escalation that the engineering loop knows. Id, time and state machine are added when it is recorded. */
export interface EscalationDraft {
  readonly task_id: string;
  readonly task_ref: string;
  readonly debate_trail: {
    readonly proposals: readonly Proposal[];
    readonly challenges: readonly Challenge[];
    readonly adjudications: readonly Adjudication[];
  };
  readonly failed_invariants: readonly { readonly invariant: string; readonly evidence: string }[];
  readonly minimal_decision_required: string;
  readonly recommended_resolution: "APPROVE_OVERRIDE" | "AMEND_SPEC" | "SPLIT_TASK" | "REVISE_PLAN" | "PROVIDE_FIX" | "ABANDON_TASK";
  readonly resolution_context: string;
}

/** The last deliverable with its claim. */
export interface LastDeliverable {
  readonly ref: string;
  readonly files: Readonly<Record<string, string>>;
  readonly coverage: Coverage;
  readonly claim: string;
  readonly acceptance_checks: readonly string[];
}

/** Why a module did not ship. */
export interface ModuleFailure {
  readonly module_id: string;
  readonly module_version: string;
  readonly reason: string;
  readonly failed_invariants: readonly { readonly invariant: string; readonly evidence: string }[];
  readonly rounds: readonly Round[];
  /** A person may approve or fix it. */
  readonly deliverable: LastDeliverable | null;
  readonly fingerprint: { readonly locked: string; readonly actual: string; readonly diff: readonly DimensionDelta[] } | null;
  readonly execution_log: ExecutionLog | null;
  readonly unapplied: readonly Unapplied[];
}

/** Why a task stopped, with the data a person needs to decide. */
export type Halt =
  | { readonly cause: "plan_invalid"; readonly escalation: EscalationDraft; readonly plan: unknown; readonly problems: readonly string[] }
  | {
      readonly cause: "module_failed";
      readonly escalation: EscalationDraft;
      readonly failed: readonly ModuleFailure[];
      readonly abandoned: readonly string[];
      readonly shipped: readonly string[];
    }
  | {
      readonly cause: "plan_defect";
      readonly escalation: EscalationDraft;
      readonly plan: MicroPlan;
      readonly failure: ModuleFailure;
      readonly recommendation: string;
      readonly shipped: readonly string[];
    }
  | {
      readonly cause: "interface_change";
      readonly escalation: EscalationDraft;
      readonly exception_id: string;
      readonly module_id: string;
      readonly shipped: readonly string[];
    };

interface TaskNames {
  readonly task_id: string;
  readonly task_path: string;
}

function draft(
  { task_id, task_path }: TaskNames,
  rounds: readonly Round[],
  rest: Omit<EscalationDraft, "task_id" | "task_ref" | "debate_trail">,
): EscalationDraft {
  return {
    task_id,
    task_ref: task_path,
    debate_trail: {
      proposals: rounds.map(({ proposal }) => proposal),
      challenges: rounds.flatMap(({ challenge }) => (challenge === null ? [] : [challenge])),
      adjudications: rounds.flatMap(({ adjudication }) => (adjudication === null ? [] : [adjudication])),
    },
    ...rest,
  };
}

export function planInvalid(task: TaskNames, plan: unknown, problems: readonly string[]): Halt {
  // Problems in more than two modules suggest that the task is too large; otherwise the split into modules is wrong.
  const count = new Set(problems.map((problem) => /\/modules\/(\d+)/.exec(problem)?.[1])).size;
  const advice = count > 2 ? "simplify task scope" : "revise task decomposition";
  const escalation = draft(task, [], {
    failed_invariants: problems.map((evidence) => ({ invariant: "micro plan", evidence })),
    minimal_decision_required:
      "The planner gave no valid micro plan in three attempts. Give a plan, split the task, or change its criteria.",
    recommended_resolution: advice === "simplify task scope" ? "SPLIT_TASK" : "REVISE_PLAN",
    resolution_context: `${advice}\n\nLast plan:\n${JSON.stringify(plan, null, 2)}\n\nProblems:\n${problems.join("\n")}`,
  });
  return { cause: "plan_invalid", escalation, plan, problems };
}

export function moduleFailed(
  task: TaskNames,
  failed: readonly ModuleFailure[],
  abandoned: readonly string[],
  shipped: readonly string[],
): Halt {
  const names = failed.map(({ module_id, module_version }) => `${module_id}@${module_version}`).join(", ");
  const escalation = draft(
    task,
    failed.flatMap(({ rounds }) => rounds),
    {
      failed_invariants: failed.flatMap(({ failed_invariants }) => failed_invariants),
      minimal_decision_required: `${names} did not ship: ${failed.map(({ reason }) => reason).join("; ")}. Approve it unchanged, provide a fix, revise the plan, split, amend or abandon the task.`,
      recommended_resolution: failed.some(({ deliverable }) => deliverable !== null) ? "PROVIDE_FIX" : "REVISE_PLAN",
      resolution_context: [
        `failed: ${names}`,
        `abandoned: ${abandoned.join(", ") || "none"}`,
        `shipped before: ${shipped.join(", ") || "none"}`,
        ...failed.flatMap(failureText),
      ].join("\n"),
    },
  );
  return { cause: "module_failed", escalation, failed, abandoned, shipped };
}

function failureText({ module_id, module_version, fingerprint, execution_log, unapplied, rounds }: ModuleFailure): string[] {
  const rationale = rounds.at(-1)?.adjudication?.rationale;
  return [
    ...(rationale === undefined ? [] : [`last adjudication of ${module_id}: ${rationale}`]),
    ...(fingerprint === null
      ? []
      : [
          `fingerprints of ${module_id}@${module_version}: locked ${fingerprint.locked}, actual ${fingerprint.actual}; ${JSON.stringify(fingerprint.diff)}`,
        ]),
    ...(execution_log === null ? [] : [`execution_log.json of ${module_id}: ${JSON.stringify(execution_log)}`]),
    ...unapplied.map(
      ({ amendment, problem, explanation }) =>
        `amendment ${amendment.action} "${amendment.target}" (${amendment.detail}): ${problem}. The Proposer says: ${explanation || "nothing"}`,
    ),
  ];
}

const RESOLUTION_OF = { "split task": "SPLIT_TASK", "revise plan": "REVISE_PLAN", "merge modules": "REVISE_PLAN" } as const;

export function planDefect(
  task: TaskNames,
  plan: MicroPlan,
  failure: ModuleFailure,
  recommendation: keyof typeof RESOLUTION_OF,
  shipped: readonly string[],
): Halt {
  const escalation = draft(task, failure.rounds, {
    failed_invariants: failure.failed_invariants,
    minimal_decision_required: `The plan prevents ${failure.module_id}: ${recommendation}?`,
    recommended_resolution: RESOLUTION_OF[recommendation],
    resolution_context: `${recommendation}\n\n${failure.failed_invariants.map(({ evidence }) => evidence).join("\n")}\n\nLocked plan:\n${JSON.stringify(plan, null, 2)}`,
  });
  return { cause: "plan_defect", escalation, plan, failure, recommendation, shipped };
}

export function interfaceChangeHalt(
  task: TaskNames,
  module_id: string,
  exception_id: string,
  raised: {
    readonly target_module: string;
    readonly reason: string;
    readonly evidence: readonly string[];
    readonly proposed_delta: unknown;
  },
  rounds: readonly Round[],
  shipped: readonly string[],
): Halt {
  const escalation = draft(task, rounds, {
    failed_invariants: raised.evidence.map((evidence) => ({ invariant: `contract of ${raised.target_module}`, evidence })),
    minimal_decision_required: `${module_id} needs a changed contract of ${raised.target_module}: decide ${exception_id}.`,
    recommended_resolution: "AMEND_SPEC",
    resolution_context: `${exception_id}: ${raised.reason}\n\nProposed change of the contract:\n${JSON.stringify(raised.proposed_delta, null, 2)}`,
  });
  return { cause: "interface_change", escalation, exception_id, module_id, shipped };
}
