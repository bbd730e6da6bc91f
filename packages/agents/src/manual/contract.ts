import { z } from "zod";

/** Answers to the question of a manual invocation. */
export const handAnswer = z.discriminatedUnion("decision", [
  z.strictObject({
    decision: z.literal("done"),
    answer: z.json().optional().describe("The answer itself; without it answer.json is read."),
    comment: z.string().optional().describe("What was done, where only files of the pack were edited."),
  }),
  z.strictObject({ decision: z.literal("reject"), comment: z.string().optional() }),
]);

export type HandAnswer = z.output<typeof handAnswer>;

/** For a provider whose answer may come days later, in another process. */
export interface ByHand {
  /** The same for every resumption of an invocation. */
  readonly key: string;
  /** The answer since the last question; null before the first. */
  readonly said: HandAnswer | null;
}

/** Details of `answer_pending`, for the protocol. */
export const pendingDetails = z.looseObject({
  folder: z.string(),
  role: z.string(),
  subject: z.string(),
  schema: z.record(z.string(), z.unknown()),
  may_edit: z.boolean(),
  errors: z.array(z.string()),
});

export type PendingDetails = z.output<typeof pendingDetails>;
