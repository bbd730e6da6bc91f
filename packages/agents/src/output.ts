import { parseStrictJson } from "@slipway/kernel/schema/json";
import { checkSchema } from "@slipway/kernel/schema/violations";
import type { z } from "zod";
import { textOutside } from "./json-boundary.ts";
import { readYamlAnswer } from "./yaml-answer.ts";

export type ParsedOutput<T> = { readonly ok: true; readonly output: T } | { readonly ok: false; readonly errors: readonly string[] };

/**
 * How an answer is written. json: one JSON value, also in a code block. only_json: one JSON value and nothing around it. yaml: one YAML
 * document or one JSON value, also in a code block.
 */
export type AnswerForm = "json" | "only_json" | "yaml";

const MAX_CHARACTERS = 8 * 1024 * 1024;
const MAX_ERRORS = 50;

/** The answer as a value of the schema, or all its errors. Nothing is guessed or repaired here. */
export function parseOutput<T>(text: string, schema: z.ZodType<T>, form: AnswerForm = "json"): ParsedOutput<T> {
  if (text.length > MAX_CHARACTERS)
    return { ok: false, errors: [`The answer has ${text.length} characters; at most ${MAX_CHARACTERS} are read.`] };
  const trimmed = text.trim();
  const found = form === "only_json" ? onlyJson(trimmed) : jsonIn(trimmed);
  if (form === "yaml" && !found.ok && trimmed !== "") return bounded(yamlIn(trimmed, schema));
  if (!found.ok) return { ok: false, errors: [found.problem] };
  const checked = checkSchema(schema, found.value);
  if (checked.ok) return { ok: true, output: checked.value };
  return bounded({
    ok: false,
    errors: checked.violations.map(({ pointer, message }) => `${pointer === "" ? "The value" : pointer}: ${message}`),
  });
}

function bounded<T>(parsed: ParsedOutput<T>): ParsedOutput<T> {
  if (parsed.ok || parsed.errors.length <= MAX_ERRORS) return parsed;
  return { ok: false, errors: [...parsed.errors.slice(0, MAX_ERRORS), `… and ${parsed.errors.length - MAX_ERRORS} more`] };
}

type Json = ReturnType<typeof parseStrictJson>;

/** The whole text, which may have nothing around it. */
function onlyJson(text: string): Json {
  if (text === "") return { ok: false, problem: "The answer is empty." };
  const whole = parseStrictJson(text);
  if (whole.ok) return whole;
  const outside = textOutside(text);
  if (outside === null) return { ok: false, problem: `The answer is refused: ${whole.problem}.` };
  return { ok: false, problem: `The answer has ${outside}; reply with exactly one JSON value and nothing before or after it.` };
}

const YAML_BLOCK = /^```(?:ya?ml|json)?[ \t]*\r?\n([^]*?)^```[ \t]*\r?$/gim;

/** The only code block, or the whole text. */
function yamlIn<T>(text: string, schema: z.ZodType<T>): ParsedOutput<T> {
  const blocks = [...text.matchAll(YAML_BLOCK)];
  if (blocks.length > 1) {
    return { ok: false, errors: [`The answer has ${blocks.length} code blocks; reply with one YAML document or one JSON value.`] };
  }
  const [block] = blocks;
  // A line that is no fence of its own, such as one in a block scalar, is indented and does not match.
  return readYamlAnswer(block?.[1] ?? text, schema);
}

// A JSON string cannot contain a raw line break, so a line starting with ``` always ends the block.
const CODE_BLOCK = /^```(?:json)?[ \t]*\r?\n([^]*?)^```[ \t]*\r?$/gim;

/** The whole text, or its only code block. */
function jsonIn(text: string): Json {
  if (text === "") return { ok: false, problem: "The answer is empty." };
  const whole = parseStrictJson(text);
  if (whole.ok) return whole;
  const blocks = [...text.matchAll(CODE_BLOCK)].map(([, body = ""]) => body);
  if (blocks.length > 1) return { ok: false, problem: `The answer has ${blocks.length} code blocks; reply with one JSON value.` };
  const [block] = blocks;
  const result = block === undefined ? whole : parseStrictJson(block);
  return result.ok ? result : { ok: false, problem: `The answer is refused: ${result.problem}.` };
}
