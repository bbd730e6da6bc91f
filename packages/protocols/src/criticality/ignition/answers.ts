import { z } from "zod";

/** Longer answers are refused, and the question stays open. */
export const MAX_ANSWER = 20_000;

const answerText = z.string().max(MAX_ANSWER).regex(/\S/, "must not be empty").describe(`Your answer, at most ${MAX_ANSWER} characters.`);
const note = z.string().max(MAX_ANSWER).optional();
/** How the person spoke; a transcription of speech is an answer like any other. */
const input = z.enum(["text", "voice"]).optional();

/** `slipway answer Q1 "TEXT"` fills `decision`, the prompt at the terminal fills `comment`. */
export const textAnswer = z.union([
  z.strictObject({ decision: answerText, comment: answerText.optional(), input }),
  z.strictObject({ comment: answerText, input }),
]);

export const classifyAnswer = z.strictObject({ decision: z.enum(["foundational", "bolt-on", "delegate"]), comment: note, input });
export const confirmAnswer = z.strictObject({ decision: z.enum(["yes", "no"]), comment: note, input });
export const phaseEndAnswer = z.strictObject({ decision: z.enum(["continue", "delegate", "delegate_with_notes"]), comment: note, input });
export const chooseAnswer = z.strictObject({ decision: z.string().max(100), comment: note, input });

export type InterviewInput = "text" | "voice";

export function textOf(answer: z.output<typeof textAnswer>): string {
  const texts = [...("decision" in answer ? [answer.decision] : []), ...(answer.comment === undefined ? [] : [answer.comment])];
  return texts.join("\n");
}
