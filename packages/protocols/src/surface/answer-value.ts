import { SlipwayError } from "@slipway/agents/errors";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";

type Asked = Pick<InboxQuestion, "title" | "options" | "answerSchema">;

/** The answer from the command line: an option with an optional comment, or JSON. */
export function answerFrom(question: Asked, given: string | undefined, comment: string | undefined): unknown {
  if (given?.trimStart().startsWith("{") === true) return parseJson(given);
  if (given === undefined && comment === undefined) {
    throw new SlipwayError("answer_invalid", `An answer to "${question.title}" is missing.`, {
      suggested_next_actions: [
        question.options.length > 0
          ? `Give one of: ${question.options.map(({ value }) => value).join(", ")}.`
          : "Give one with --comment TEXT.",
      ],
    });
  }
  const alternative = given === undefined ? null : alternativeOf(question, given);
  const commentAs = (name: string) => (comment === undefined ? {} : { [name]: comment });
  if (alternative !== null) return { [alternative.choice]: given, ...commentAs(alternative.text) };
  return { ...(given === undefined ? {} : { decision: given }), ...commentAs("comment") };
}

interface Properties {
  readonly [name: string]: { readonly const?: unknown; readonly type?: unknown; readonly enum?: unknown };
}

interface Shape {
  readonly properties?: Properties;
  readonly required?: readonly string[];
}

/** If each option has its own fields: the field for the choice, and the text field that takes the comment. */
function alternativeOf({ answerSchema }: Asked, given: string): { readonly choice: string; readonly text: string } | null {
  const shapes = (answerSchema["oneOf"] ?? answerSchema["anyOf"] ?? []) as readonly Shape[];
  for (const { properties = {}, required = [] } of shapes) {
    const choice = Object.keys(properties).find((name) => properties[name]?.const === given);
    if (choice === undefined) continue;
    const texts = Object.keys(properties).filter(
      (name) => name !== choice && properties[name]?.type === "string" && properties[name].enum === undefined,
    );
    return { choice, text: texts.find((name) => required.includes(name)) ?? texts[0] ?? "comment" };
  }
  return null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SlipwayError("answer_invalid", `The answer is not valid JSON: ${error instanceof Error ? error.message : ""}`, {
      suggested_next_actions: ['Quote it for your shell, for example \'{"decision":"retry"}\'.'],
    });
  }
}
