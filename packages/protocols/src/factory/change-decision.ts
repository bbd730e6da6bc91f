import type { Question } from "@slipway/durable/ctx";
import { toFailure } from "@slipway/durable/errors";
import { askAboutHalt } from "./attesting.ts";
import { interfaceChange, type ChangeInput, type ChangeResult } from "./changing.ts";
import type { EngineeringTask } from "./engineering/ports.ts";
import { recordAnswer } from "./escalation/escalate.ts";
import { escalationKind, supplemented, type Escalation } from "./escalation/schema.ts";
import {
  decided,
  decisionLogKind,
  exceptionDecision,
  noted,
  type ExceptionDecision,
  type ExceptionStatus,
} from "./exceptions/decisions.ts";
import type { FactorySite } from "./site.ts";

export interface OpenException {
  readonly turn: number;
  readonly escalation: Escalation;
  readonly exception_id: string;
  readonly task: EngineeringTask;
}

/** moving: the task is on its way again. closed: nothing is left to decide about it. open: it can be decided at any later time. */
export type DecidedChange = "moving" | "closed" | "open";

/** Asks until something is decided; a change that was approved and not agreed on is asked about again. */
export async function decideChange(site: FactorySite, open: OpenException): Promise<DecidedChange> {
  const { turn, escalation, exception_id } = open;
  for (let round = 1; ; round++) {
    const name = `change:${turn}.${round}`;
    const answer = await askAboutHalt(site, escalation, name, changeQuestion(escalation, exception_id));
    const outcome = await carryOutDecision(site, open, { name, key: `${turn}.${round}`, answer });
    if (outcome !== "not_agreed") return outcome;
  }
}

interface Answer {
  /** Of the question. */
  readonly name: string;
  /** What the steps of carrying it out are called by. */
  readonly key: string;
  readonly answer: ExceptionDecision;
}

/** One answer about an exception: on record, and done. */
export async function carryOutDecision(
  site: FactorySite,
  { turn, escalation, exception_id, task }: OpenException,
  { name, key, answer }: Answer,
): Promise<DecidedChange | "not_agreed"> {
  const { ctx, shop } = site;
  const at = await site.moment(`change-decided:${key}`);
  const by = await site.keep(`change-by:${key}`, async () => {
    const { answeredBy } = await shop.kernel.records.inbox.find(`${ctx.runId}#${name}`);
    return answeredBy ?? "person";
  });
  const note = (status: ExceptionStatus, text: string) => noteStatus(site, key, exception_id, { status, at, by, note: text });
  const meaning = decided(answer, task.task_id);
  await note(meaning.status, meaning.note);
  await site.keep(`change-answer:${key}`, async (call) => {
    const { decision: action, ...payload } = answer;
    await recordAnswer(shop.documents, call, escalation.escalation_id, { action, payload, by, at });
    return null;
  });
  if (!meaning.resolve) {
    if (meaning.change !== null) return requeue(site, turn, task.task_id, "REJECT_CHANGE");
    return meaning.status === "DEFERRED" ? "open" : "closed";
  }
  const result = await changed(site, `new-version:${key}`, { exception_id, task });
  if (result.status === "shipped") {
    await note("RESOLVED", result.module_ref);
    return requeue(site, turn, task.task_id, "APPROVE_CHANGE");
  }
  await note("NOT_AGREED", result.reason);
  await site.keep(`transcript:${key}`, async (call) => {
    const details = { change_refused: result.reason, change_debate: result.rounds };
    await shop.documents.revise(call, escalationKind, escalation.escalation_id, details, (kept) => supplemented(kept, details));
    return null;
  });
  return "not_agreed";
}

/** What breaks off is no agreement either: the person hears why. */
async function changed({ ctx }: FactorySite, name: string, input: ChangeInput): Promise<ChangeResult> {
  try {
    return await ctx.child(name, interfaceChange, input);
  } catch (error) {
    const { code, message } = toFailure(error);
    return { status: "failed", reason: `${code}: ${message}`, rounds: [] };
  }
}

async function requeue(site: FactorySite, turn: number, task: string, by: "APPROVE_CHANGE" | "REJECT_CHANGE"): Promise<"moving"> {
  await site.keep(`requeue:${turn}`, async (call) => {
    await (await site.project()).apply(call, { kind: "requeue", task, by });
    return null;
  });
  return "moving";
}

function noteStatus(
  site: FactorySite,
  name: string,
  exceptionId: string,
  line: { readonly status: ExceptionStatus; readonly at: string; readonly by: string; readonly note: string },
): Promise<null> {
  return site.keep(`${line.status}:${name}`, async (call) => {
    await site.shop.documents.revise(call, decisionLogKind, exceptionId, line, (log) => noted(log, line));
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

/** What each of the three would do. */
export function changeOptions(exceptionId: string): NonNullable<Question<ExceptionDecision>["options"]> {
  return [
    {
      value: "APPROVE_CHANGE",
      label: "debate the changed contract; agreed, a new version of the module is built and the task goes on with it",
    },
    {
      value: "REJECT_CHANGE",
      label: "for a `reason`; `afterwards` REQUEUE builds the task within the contract there is, STAY_HALTED leaves it",
    },
    { value: "DEFER", label: `leave ${exceptionId} open, and resolve the task in another way` },
  ];
}
