import { z } from "zod";

/** How the question that stands for an invocation by hand is answered. */
export const handAnswer = z.discriminatedUnion("decision", [
  z.strictObject({
    decision: z.literal("done"),
    answer: z.json().optional().describe("The answer itself; without it answer.json is read."),
    comment: z.string().optional().describe("What was done, where only files of the pack were edited."),
  }),
  z.strictObject({ decision: z.literal("reject"), comment: z.string().optional() }),
]);

export type HandAnswer = z.output<typeof handAnswer>;

/** For a provider whose answer comes from outside, perhaps days later and to another process. */
export interface ByHand {
  /** The same for the same invocation, however often it is taken up again. */
  readonly key: string;
  /** What was said since it was asked last; null when it has not been asked yet. */
  readonly said: HandAnswer | null;
}

/** What the protocol is told when an answer has to be waited for: the details of `answer_pending`. */
export const pendingDetails = z.looseObject({
  folder: z.string(),
  role: z.string(),
  subject: z.string(),
  schema: z.record(z.string(), z.unknown()),
  may_edit: z.boolean(),
  errors: z.array(z.string()),
});

export type PendingDetails = z.output<typeof pendingDetails>;
