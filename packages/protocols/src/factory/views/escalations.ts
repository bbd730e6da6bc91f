import type { Documents } from "@slipway/kernel/record/documents/documents";
import { CONSEQUENCES } from "../escalation/answers.ts";
import { escalationKind, RESOLUTIONS, type Escalation, type ResolutionAction } from "../escalation/schema.ts";
import { decisionLogKind, statusOf, type DecisionLog, type ExceptionStatus } from "../exceptions/decisions.ts";
import { exceptionKind, type InterfaceChangeException } from "../exceptions/schema.ts";
import type { Task, TaskStatus } from "../project/state.ts";

/** Open questions about escalations or exceptions. */
export interface OpenQuestionView {
  readonly id: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

export interface EscalationView {
  readonly escalation: Escalation;
  /** The open question; null if there is none. */
  readonly question: string | null;
  /** asked: a person has to answer. answered: the run has to resume. resolved: no action is left. */
  readonly state: "asked" | "answered" | "resolved";
  readonly resolutions: readonly { readonly action: string; readonly does: string }[];
  /** The tasks that wait for this one, directly or indirectly. */
  readonly blocks: readonly string[];
}

/** In the order the tasks halted. */
export async function escalationViews(
  documents: Pick<Documents, "list">,
  open: readonly OpenQuestionView[],
  tasks: ReadonlyMap<string, Task>,
): Promise<EscalationView[]> {
  return (await documents.list(escalationKind)).map((escalation) => {
    const question = questionAbout(open, escalation.escalation_id);
    const { status, escalation_ref } = tasks.get(escalation.task_id) ?? {};
    const isHalted = status === "HALTED" && escalation_ref === escalation.escalation_id;
    return {
      escalation,
      question: question?.id ?? null,
      state: question === null ? (isHalted ? "answered" : "resolved") : "asked",
      resolutions:
        question === null
          ? []
          : question.options.map(({ value, label }) => ({ action: value, does: doesOf(value, label, escalation, status) })),
      blocks: question === null ? [] : dependentsOf(tasks, escalation.task_id),
    };
  });
}

const NEEDS_A_DELIVERABLE: readonly string[] = ["APPROVE_OVERRIDE", "PROVIDE_FIX"];

/** What an action would do here; some do not apply. */
function doesOf(action: string, label: string, { details }: Escalation, status: TaskStatus | undefined): string {
  const failed = (details?.["failed"] ?? []) as readonly { readonly deliverable?: unknown }[];
  const isDelivered = failed.some(({ deliverable }) => typeof deliverable === "string");
  if (NEEDS_A_DELIVERABLE.includes(action) && !isDelivered) return "(not available: nothing was delivered to ship or fix)";
  if (action === "REVISE_PLAN" && status === "BLOCKED") return "(not available: it depends on an abandoned task)";
  return RESOLUTIONS.includes(action as ResolutionAction) ? CONSEQUENCES[action as ResolutionAction] : label;
}

export function questionAbout(open: readonly OpenQuestionView[], escalationId: string): OpenQuestionView | null {
  return open.find(({ context }) => (context["escalation"] as Partial<Escalation> | undefined)?.escalation_id === escalationId) ?? null;
}

function dependentsOf(tasks: ReadonlyMap<string, Task>, start: string): string[] {
  const direct = new Map<string, string[]>();
  for (const [id, { depends_on }] of tasks) for (const needed of depends_on) direct.set(needed, [...(direct.get(needed) ?? []), id]);
  const found = new Set<string>();
  const next = [start];
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    for (const dependent of direct.get(id) ?? []) {
      if (found.has(dependent)) continue;
      found.add(dependent);
      next.push(dependent);
    }
  }
  return [...tasks.keys()].filter((id) => found.has(id));
}

export interface ExceptionView {
  readonly exception: InterfaceChangeException;
  readonly status: ExceptionStatus;
  readonly decisions: DecisionLog["entries"];
  /** The open question that decides it. */
  readonly question: string | null;
  readonly task_id: string | null;
  readonly escalation_id: string | null;
}

/** In the order they were raised. */
export async function exceptionViews(
  documents: Pick<Documents, "list" | "find">,
  open: readonly OpenQuestionView[],
): Promise<ExceptionView[]> {
  const escalations = await documents.list(escalationKind);
  return Promise.all(
    (await documents.list(exceptionKind)).map(async (exception) => {
      const { exception_id } = exception;
      const log = (await documents.find(decisionLogKind, exception_id)) ?? { exception_id, entries: [] };
      const escalation = escalations.find(({ details }) => details?.["exception_id"] === exception_id);
      return {
        exception,
        status: statusOf(log),
        decisions: log.entries,
        question: open.find(({ context }) => context["exception_id"] === exception_id)?.id ?? null,
        task_id: escalation?.task_id ?? null,
        escalation_id: escalation?.escalation_id ?? null,
      };
    }),
  );
}
