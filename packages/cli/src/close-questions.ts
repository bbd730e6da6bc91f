import type { InboxQuestion } from "@slipway/kernel/questions/question";
import type { Records } from "@slipway/kernel/records";
import { personOf } from "./places.ts";
import type { Io } from "./io.ts";

/** Of what a question offers, what ends the feature; a mended thing is tried again and finds the feature gone. */
const ENDINGS = ["reject", "give_up", "retry"];

/** After a deletion nobody can answer for the feature any more: its questions are answered so that its run goes on without it. */
export async function closeQuestionsOf(records: Records, featureId: string, io: Io): Promise<number> {
  const open = (await records.inbox.listOpen()).filter(({ context }) => context["feature_id"] === featureId);
  const closed = open.flatMap((question) => {
    const decision = endingOf(question);
    return decision === undefined ? [] : [{ id: question.id, value: { decision, comment: "the feature was deleted" }, by: personOf(io) }];
  });
  for (const answer of closed) await records.answer(answer);
  return closed.length;
}

function endingOf({ options }: InboxQuestion): string | undefined {
  return ENDINGS.find((ending) => options.some(({ value }) => value === ending));
}
