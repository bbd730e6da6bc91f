import { handAnswer, pendingDetails, type HandAnswer } from "@slipway/agents/manual/contract";
import type { Ctx } from "@slipway/durable/ctx";
import type { Failure } from "@slipway/durable/errors";

const REMIND_AFTER_MS = [24 * 60 * 60 * 1000];

/** Puts an invocation that is answered by hand into the inbox. It stays there over restarts; what is said goes with the next call. */
export function askByHand(ctx: Ctx, name: string, { details }: Failure, context: Readonly<Record<string, unknown>>): Promise<HandAnswer> {
  const { folder, role, subject, schema, may_edit, errors } = pendingDetails.parse(details);
  return ctx.ask(name, {
    kind: "manual",
    title: `${errors.length === 0 ? "Play" : "Correct the answer of"} the ${role} for ${subject}`,
    body: [
      ...(errors.length === 0 ? [] : ["The last answer was refused:", ...errors.map((error) => `- ${error}`)]),
      `${folder}/REQUEST.md says what is wanted.`,
      may_edit ? `Write ${folder}/answer.json, or edit the files in ${folder}/pack, or both.` : `Write ${folder}/answer.json.`,
    ].join("\n"),
    options: [
      { value: "done", label: "it is there: take it" },
      { value: "reject", label: "no answer to this; the attempt counts as refused" },
    ],
    schema: handAnswer,
    context: { ...context, role, folder, schema, may_edit, errors },
    answerableBy: ["person"],
    remindAfterMs: REMIND_AFTER_MS,
  });
}
