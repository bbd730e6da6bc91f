import { jsonLine } from "./escape.ts";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import type { Records } from "@slipway/kernel/record/storage";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import { personOf } from "./caller.ts";

/** One answer of a person, however it was put together; what it says is checked where it is kept. */
export async function giveAnswer(records: Records, question: InboxQuestion, value: unknown, io: Io, json: boolean): Promise<ExitCode> {
  await records.answer({ id: question.id, value, by: personOf(io) });
  return sayAnswered(question, io, json, chosen(question, value));
}

/** In the words of the option, which say what will become of things. */
function chosen({ options }: InboxQuestion, value: unknown): string | null {
  const decision = typeof value === "object" && value !== null && "decision" in value ? value.decision : undefined;
  const option = options.find((other) => other.value === decision);
  return option === undefined ? null : `${option.value}: ${option.label}`;
}

export function sayAnswered(
  { id, title }: Pick<InboxQuestion, "id" | "title">,
  io: Io,
  json: boolean,
  said: string | null = null,
): ExitCode {
  if (json) io.out(jsonLine({ ok: true, question: id, next: "slipway resume" }));
  else io.out(`Answered: ${title}\n${said === null ? "" : `  ${said}\n`}  next: slipway resume\n`);
  return EXIT.done;
}
