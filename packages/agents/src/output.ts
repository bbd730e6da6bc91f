import { parseStrictJson } from "@slipway/kernel/schema/json";
import { checkSchema } from "@slipway/kernel/schema/violations";
import type { z } from "zod";

export type ParsedOutput<T> = { readonly ok: true; readonly output: T } | { readonly ok: false; readonly errors: readonly string[] };

const MAX_CHARACTERS = 8 * 1024 * 1024;
const MAX_ERRORS = 50;

/** The answer as a value of the schema, or all its errors. Nothing is guessed or repaired here. */
export function parseOutput<T>(text: string, schema: z.ZodType<T>): ParsedOutput<T> {
  if (text.length > MAX_CHARACTERS)
    return { ok: false, errors: [`The answer has ${text.length} characters; at most ${MAX_CHARACTERS} are read.`] };
  const found = jsonIn(text.trim());
  if (!found.ok) return { ok: false, errors: [found.problem] };
  const checked = checkSchema(schema, found.value);
  if (checked.ok) return { ok: true, output: checked.value };
  const errors = checked.violations.map(({ pointer, message }) => `${pointer === "" ? "The value" : pointer}: ${message}`);
  const more = errors.length - MAX_ERRORS;
  return { ok: false, errors: more > 0 ? [...errors.slice(0, MAX_ERRORS), `… and ${more} more`] : errors };
}

// A JSON string cannot contain a raw line break, so a line starting with ``` always ends the block.
const CODE_BLOCK = /^```(?:json)?[ \t]*\r?\n([^]*?)^```[ \t]*\r?$/gim;

/** The whole text, or its only code block. */
function jsonIn(text: string): ReturnType<typeof parseStrictJson> {
  if (text === "") return { ok: false, problem: "The answer is empty." };
  const whole = parseStrictJson(text);
  if (whole.ok) return whole;
  const blocks = [...text.matchAll(CODE_BLOCK)].map(([, body = ""]) => body);
  if (blocks.length > 1) return { ok: false, problem: `The answer has ${blocks.length} code blocks; reply with one JSON value.` };
  const [block] = blocks;
  const result = block === undefined ? whole : parseStrictJson(block);
  return result.ok ? result : { ok: false, problem: `The answer is refused: ${result.problem}.` };
}
