import type { InboxQuestion } from "@slipway/kernel/questions/question";
import type { Records } from "@slipway/kernel/records";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import { personOf } from "./places.ts";

/** One answer of a person, however it was put together; what it says is checked where it is kept. */
export async function giveAnswer(records: Records, question: InboxQuestion, value: unknown, io: Io, json: boolean): Promise<ExitCode> {
  await records.answer({ id: question.id, value, by: personOf(io) });
  return sayAnswered(question, io, json);
}

export function sayAnswered({ id, title }: Pick<InboxQuestion, "id" | "title">, io: Io, json: boolean): ExitCode {
  if (json) io.out(`${JSON.stringify({ ok: true, question: id, next: "slipway resume" })}\n`);
  else io.out(`Answered: ${title}\n  next: slipway resume\n`);
  return EXIT.done;
}
