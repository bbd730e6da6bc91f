import { SlipwayError } from "./errors.ts";
import { parseYamlConfig } from "@slipway/kernel/config/yaml";
import { Lexer } from "yaml";
import { z } from "zod";
import type { ParsedOutput } from "./output.ts";

const MAX_DEPTH = 200;
/** Precedes the text of a plain or block scalar in the tokens of the library. */
const SCALAR = "\u001f";
/** Tokens for the start of a document or scalar and for a missing bracket, which are not in the text. */
const UNSEEN: ReadonlySet<string> = new Set(["\u0002", "\u0018", SCALAR]);

const shown = z.looseObject({
  violations: z.array(z.object({ pointer: z.string(), line: z.number(), column: z.number(), message: z.string() })).optional(),
});

/** One YAML document in the core schema as a value of the schema, or all errors with line and column. */
export function readYamlAnswer<T>(text: string, schema: z.ZodType<T>): ParsedOutput<T> {
  const foreign = notCore(text);
  if (foreign !== null) return { ok: false, errors: [foreign] };
  try {
    return { ok: true, output: parseYamlConfig("The answer", text, schema) };
  } catch (error) {
    if (error instanceof SlipwayError) return { ok: false, errors: errorsOf(error) };
    // The library composes nested collections recursively.
    if (error instanceof RangeError) return { ok: false, errors: ["The answer is nested too deeply."] };
    throw error;
  }
}

function errorsOf({ message, details }: SlipwayError): string[] {
  const { violations } = shown.parse(details);
  if (violations === undefined || violations.length === 0) return [message];
  return violations.map(({ pointer, line, column, message: problem }) => {
    return `line ${line}, column ${column}: ${pointer === "" ? problem : `${pointer}: ${problem}`}`;
  });
}

/** Tags and directives can change what a value means; the core schema needs neither. */
function notCore(text: string): string | null {
  let offset = 0;
  let depth = 0;
  let before = "";
  for (const token of new Lexer().lex(text)) {
    const isText = before === SCALAR;
    before = token;
    if (token === "{" || token === "[") depth++;
    if (token === "}" || token === "]") depth--;
    if (!isText && token.startsWith("!")) return `${position(text, offset)}: the tag ${token} is not allowed`;
    if (!isText && token.startsWith("%")) return `${position(text, offset)}: the directive ${token.trim()} is not allowed`;
    if (depth > MAX_DEPTH) return `${position(text, offset)}: nested deeper than ${MAX_DEPTH} levels`;
    if (!UNSEEN.has(token)) offset += token.length;
  }
  return null;
}

function position(text: string, offset: number): string {
  const lines = text.slice(0, offset).split("\n");
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
