import type { ShownSchema } from "./json-schema.ts";
import type { AnswerForm } from "./output.ts";

const ASKED: Readonly<Record<AnswerForm, string>> = {
  json: "Reply with one JSON value and nothing else. It must satisfy this JSON Schema:",
  only_json: "Reply with exactly one JSON value: no code fence, no comment, no text before or after it. It must satisfy this JSON Schema:",
  yaml: "Reply with one YAML document or one JSON value, and nothing else. Its value must satisfy this JSON Schema:",
};

const CORRECTED: Readonly<Record<AnswerForm, string>> = {
  json: "Reply with the whole corrected JSON value and nothing else.",
  only_json: "Reply with the whole corrected JSON value and nothing before or after it.",
  yaml: "Reply with the whole corrected document and nothing else.",
};

const STRUCTURED = "Finish with the structured answer that you were given a form for. What you write outside of it is not read.";
const LIMITED = "The form does not show every limit on its values; they are in this JSON Schema:";

export function askedText(form: AnswerForm, schemaText: string): string {
  return `# Answer\n${ASKED[form]}\n${schemaText}`;
}

/** For a provider that holds the answer to the schema itself: its model sees the fields there, and a second form would contradict it. */
export function structuredText({ text, limits }: ShownSchema): string {
  return limits ? `# Answer\n${STRUCTURED} ${LIMITED}\n${text}` : `# Answer\n${STRUCTURED}`;
}

export function correctedText(form: AnswerForm): string {
  return CORRECTED[form];
}
