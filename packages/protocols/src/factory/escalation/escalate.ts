import type { Question } from "@slipway/durable/ctx";
import type { Documents } from "@slipway/kernel/record/documents/documents";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { EscalationDraft } from "../engineering/halt.ts";
import type { InterfaceChangeException } from "../exceptions/schema.ts";
import type { StateMachine } from "../project/state.ts";
import { CONSEQUENCES, humanResolution, type Attestation, type HumanResolution } from "./answers.ts";
import { answered, escalationKind, RESOLUTIONS, type Escalation, type ResolutionRecord } from "./schema.ts";
import type { TaskChange } from "../project/changes.ts";

export interface Halted {
  readonly escalation_id: string;
  readonly draft: EscalationDraft;
  /** With the task HALTED and its dependents BLOCKED. */
  readonly machine: StateMachine;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly at: string;
}

/** Records the draft with the state of the project. */
export async function keepEscalation(documents: Pick<Documents, "keep">, call: Call, halted: Halted): Promise<Escalation> {
  const { escalation_id, draft, machine, details, at } = halted;
  return documents.keep(call, escalationKind, {
    ...draft,
    escalation_id,
    created_at: at,
    state_machine_snapshot: machine,
    ...(details === undefined ? {} : { details }),
  });
}

/** All fields of an exception that are needed to decide on it. */
export function exceptionDetails(exception: InterfaceChangeException): Record<string, unknown> {
  const { exception_id, target_module, reason, evidence, proposed_contract_delta, compatibility_expectation, urgency, type } = exception;
  return {
    halted_by: "interface_change",
    exception_id,
    type,
    target_module,
    reason,
    evidence,
    proposed_contract_delta,
    compatibility_expectation,
    urgency,
  };
}

export function recordAnswer(documents: Pick<Documents, "revise">, call: Call, id: string, record: ResolutionRecord): Promise<Escalation> {
  return documents.revise(call, escalationKind, id, record, (escalation) => answered(escalation, record));
}

export function recordOf(resolution: HumanResolution, by: string, at: string): ResolutionRecord {
  const { action, ...payload } = resolution;
  return { action, payload, by, at };
}

const REMIND_AFTER_MS = [60 * 60 * 1000, 24 * 60 * 60 * 1000];

/** Contains the whole escalation, so that answering needs no file. The run waits for it across restarts. */
export function escalationQuestion(escalation: Escalation, refusedBefore: readonly string[] = []): Question<HumanResolution> {
  const { escalation_id, task_id, minimal_decision_required, recommended_resolution, resolution_context, failed_invariants } = escalation;
  return {
    kind: "escalation",
    title: `${task_id} has halted: ${minimal_decision_required}`,
    body: [
      ...(refusedBefore.length === 0 ? [] : [`The last answer was refused:\n${refusedBefore.map((problem) => `- ${problem}`).join("\n")}`]),
      ...failed_invariants.map(({ invariant, evidence }) => `${invariant}: ${evidence}`),
      ...(resolution_context === "" ? [] : [resolution_context]),
      `Recommended: ${recommended_resolution} (${escalation_id}).`,
    ].join("\n\n"),
    options: RESOLUTIONS.map((value) => ({ value, label: CONSEQUENCES[value] })),
    schema: humanResolution,
    context: { escalation },
    answerableBy: ["person"],
    remindAfterMs: REMIND_AFTER_MS,
  };
}

/** HALTED to SHIPPED, by a person's attestation only. */
export function attested(
  escalation: Escalation,
  given: Attestation,
  by: string,
  at: string,
): { readonly change: TaskChange; readonly record: ResolutionRecord } {
  const { task_id: task, escalation_id: escalation_ref } = escalation;
  return {
    change: { kind: "attest", task, rationale: given.rationale, escalation_ref, module_refs: given.module_refs, at },
    record: { action: "ATTEST", payload: { ...given }, by, at },
  };
}
