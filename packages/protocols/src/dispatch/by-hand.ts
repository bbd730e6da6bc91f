import { handAnswer, pendingDetails, type HandAnswer } from "@slipway/agents/manual/contract";
import type { Ctx } from "@slipway/durable/ctx";
import type { Failure } from "@slipway/durable/errors";

const REMIND_AFTER_MS = [24 * 60 * 60 * 1000];

/** Puts an invocation that a person answers into the inbox. The question survives restarts; the next call gets the answer. */
export function askByHand(ctx: Ctx, name: string, { details }: Failure, context: Readonly<Record<string, unknown>>): Promise<HandAnswer> {
  const { folder, role, subject, schema, may_edit, errors } = pendingDetails.parse(details);
  return ctx.ask(name, {
    kind: "manual",
    title: `${errors.length === 0 ? "Play" : "Correct the answer of"} the ${role} for ${subject}`,
    body: [
      ...(errors.length === 0 ? [] : ["The last answer was refused:", ...errors.map((error) => `- ${error}`)]),
      `${folder}/REQUEST.md describes the task.`,
      may_edit ? `Write ${folder}/answer.json, or edit the files in ${folder}/pack, or both.` : `Write ${folder}/answer.json.`,
    ].join("\n"),
    options: [
      { value: "done", label: "the answer is there: use it" },
      { value: "reject", label: "decline; the attempt counts as refused" },
    ],
    schema: handAnswer,
    context: { ...context, role, folder, schema, may_edit, errors },
    answerableBy: ["person"],
    remindAfterMs: REMIND_AFTER_MS,
  });
}
