import { z } from "zod";

const MAX_TEXT = 20_000;

/** An option, and words where it needs them. */
export function choiceSchema(options: readonly string[]) {
  return z.strictObject({ decision: z.enum(options), comment: z.string().max(MAX_TEXT).optional() });
}

export interface PersonsChoice {
  readonly decision: string;
  readonly comment?: string | undefined;
}

export interface ChoiceWithWords extends PersonsChoice {
  /** The name of the question that was answered with it. */
  readonly question: string;
}

/**
 * Asks again while an option that needs words has none. A rule in the schema of the question would not do: the inbox checks answers by JSON
 * Schema, which cannot say it, and an answer that only the run refuses leaves no open question.
 */
export async function askForWords(
  name: string,
  needsWords: (option: string) => boolean,
  ask: (name: string, note: string) => Promise<PersonsChoice>,
): Promise<ChoiceWithWords> {
  let note = "";
  for (let turn = 1; ; turn++) {
    const question = turn === 1 ? name : `${name}^${turn}`;
    const { decision, comment } = await ask(question, note);
    if (!needsWords(decision) || (comment ?? "").trim() !== "") return { question, decision, comment };
    note = `The option ${decision} needs a comment with your words.\n\n`;
  }
}
