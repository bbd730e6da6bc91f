import type { Question } from "@slipway/durable/ctx";
import { toFailure } from "@slipway/durable/errors";
import { askAboutHalt } from "../escalation/attest.ts";
import { interfaceChange, type ChangeRunInput, type ChangeResult } from "./change-module.ts";
import type { EngineeringTask } from "../engineering/ports.ts";
import { recordAnswer } from "../escalation/escalate.ts";
import { escalationKind, supplemented, type Escalation } from "../escalation/schema.ts";
import {
  decided,
  decisionLogKind,
  exceptionDecision,
  noted,
  type ExceptionDecision,
  type ExceptionStatus,
} from "../exceptions/decisions.ts";
import type { ProjectRun } from "../project-run.ts";

export interface OpenException {
  readonly turn: number;
  readonly escalation: Escalation;
  readonly exception_id: string;
  readonly task: EngineeringTask;
}

/** moving: the task was requeued. closed: no decision is left. open: the exception can be decided later. */
export type DecidedChange = "moving" | "closed" | "open";

/** Asks until the exception is decided; asks again if an approved change finds no agreement. */
export async function decideChange(run: ProjectRun, open: OpenException): Promise<DecidedChange> {
  const { turn, escalation, exception_id } = open;
  for (let round = 1; ; round++) {
    const name = `change:${turn}.${round}`;
    const answer = await askAboutHalt(run, escalation, name, changeQuestion(escalation, exception_id));
    const outcome = await carryOutDecision(run, open, { name, key: `${turn}.${round}`, answer });
    if (outcome !== "not_agreed") return outcome;
  }
}

interface Answer {
  /** The name of the question. */
  readonly name: string;
  /** The suffix of the steps that perform it. */
  readonly key: string;
  readonly answer: ExceptionDecision;
}

/** Records one answer about an exception and performs it. */
export async function carryOutDecision(
  run: ProjectRun,
  { turn, escalation, exception_id, task }: OpenException,
  { name, key, answer }: Answer,
): Promise<DecidedChange | "not_agreed"> {
  const { ctx, services } = run;
  const at = await run.moment(`change-decided:${key}`);
  const by = await run.keep(`change-by:${key}`, async () => {
    const { answeredBy } = await services.kernel.records.inbox.find(`${ctx.runId}#${name}`);
    return answeredBy ?? "person";
  });
  const note = (status: ExceptionStatus, text: string) => noteStatus(run, key, exception_id, { status, at, by, note: text });
  const meaning = decided(answer, task.task_id);
  await note(meaning.status, meaning.note);
  await run.keep(`change-answer:${key}`, async (call) => {
    const { decision: action, ...payload } = answer;
    await recordAnswer(services.documents, call, escalation.escalation_id, { action, payload, by, at });
    return null;
  });
  if (!meaning.resolve) {
    if (meaning.change !== null) return requeue(run, turn, task.task_id, "REJECT_CHANGE");
    return meaning.status === "DEFERRED" ? "open" : "closed";
  }
  const result = await changed(run, `new-version:${key}`, { exception_id, task });
  if (result.status === "shipped") {
    await note("RESOLVED", result.module_ref);
    return requeue(run, turn, task.task_id, "APPROVE_CHANGE");
  }
  await note("NOT_AGREED", result.reason);
  await run.keep(`transcript:${key}`, async (call) => {
    const details = { change_refused: result.reason, change_debate: result.rounds };
    await services.documents.revise(call, escalationKind, escalation.escalation_id, details, (saved) => supplemented(saved, details));
    return null;
  });
  return "not_agreed";
}

/** An unexpected error counts as no agreement; the person sees the reason. */
async function changed({ ctx }: ProjectRun, name: string, input: ChangeRunInput): Promise<ChangeResult> {
  try {
    return await ctx.child(name, interfaceChange, input);
  } catch (error) {
    const { code, message } = toFailure(error);
    return { status: "failed", reason: `${code}: ${message}`, rounds: [] };
  }
}

async function requeue(run: ProjectRun, turn: number, task: string, by: "APPROVE_CHANGE" | "REJECT_CHANGE"): Promise<"moving"> {
  await run.keep(`requeue:${turn}`, async (call) => {
    await (await run.project()).apply(call, { kind: "requeue", task, by });
    return null;
  });
  return "moving";
}

function noteStatus(
  run: ProjectRun,
  name: string,
  exceptionId: string,
  line: { readonly status: ExceptionStatus; readonly at: string; readonly by: string; readonly note: string },
): Promise<null> {
  return run.keep(`${line.status}:${name}`, async (call) => {
    await run.services.documents.revise(call, decisionLogKind, exceptionId, line, (log) => noted(log, line));
    return null;
  });
}

function changeQuestion(escalation: Escalation, exceptionId: string): Question<ExceptionDecision> {
  const { task_id, minimal_decision_required, resolution_context } = escalation;
  return {
    kind: "interface_change",
    title: `${task_id} has halted: ${minimal_decision_required}`,
    body: `${resolution_context}\n\n${JSON.stringify(escalation.details, null, 2)}`,
    options: changeOptions(exceptionId),
    schema: exceptionDecision,
    context: { escalation, exception_id: exceptionId },
    answerableBy: ["person"],
  };
}

export function changeOptions(exceptionId: string): NonNullable<Question<ExceptionDecision>["options"]> {
  return [
    {
      value: "APPROVE_CHANGE",
      label: "debate the changed contract; if agreed, build a new version of the module and resume the task with it",
    },
    {
      value: "REJECT_CHANGE",
      label: "keep the contract, for a `reason`; `afterwards` REQUEUE builds the task within it, STAY_HALTED leaves it halted",
    },
    { value: "DEFER", label: `leave ${exceptionId} open and resolve the task in another way` },
  ];
}
