import { jsonLine } from "./escape.ts";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import type { Records } from "@slipway/kernel/record/storage";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import { personOf } from "./caller.ts";

/** Records a person's answer. `records.answer` validates it. */
export async function giveAnswer(records: Records, question: InboxQuestion, value: unknown, io: Io, json: boolean): Promise<ExitCode> {
  await records.answer({ id: question.id, value, by: personOf(io) });
  return sayAnswered(question, io, json, chosenOption(question, value));
}

/** The chosen option with its label. */
function chosenOption({ options }: InboxQuestion, value: unknown): string | null {
  const decision = typeof value === "object" && value !== null && "decision" in value ? value.decision : undefined;
  const option = options.find((other) => other.value === decision);
  return option === undefined ? null : `${option.value}: ${option.label}`;
}

export function sayAnswered(
  { id, title }: Pick<InboxQuestion, "id" | "title">,
  io: Io,
  json: boolean,
  option: string | null = null,
): ExitCode {
  if (json) io.out(jsonLine({ ok: true, question: id, next: "slipway resume" }));
  else io.out(`Answered: ${title}\n${option === null ? "" : `  ${option}\n`}  next: slipway resume\n`);
  return EXIT.done;
}
