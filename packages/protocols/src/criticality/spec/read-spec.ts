import { SlipwayError } from "@slipway/agents/errors";
import { checkSchema, type SchemaViolation } from "@slipway/kernel/schema/violations";
import { decodeText } from "@slipway/kernel/schema/text";
import { parse, TomlDate, TomlError } from "smol-toml";
import { systemSpecSchema, type SystemSpec } from "./schema.ts";
import { lineOfField } from "./field-line.ts";

export const MAX_SPEC_BYTES = 1024 * 1024;

/** The specification in a TOML text, or one error that lists every violation with its line. */
export function readSpec(file: string, input: string | Uint8Array): SystemSpec {
  const text = decodeText(file, input, MAX_SPEC_BYTES).replace(/^\ufeff/, "");
  const checked = checkSchema(systemSpecSchema, parseToml(file, text));
  if (checked.ok) return checked.value;
  const violations = checked.violations.map((violation) => ({ ...violation, line: lineOfField(text, violation.pointer) }));
  const list = violations.map((violation) => `${file}:${violation.line}, ${nameOf(violation)}: ${violation.message}`);
  throw new SlipwayError("config_invalid", list.join("\n"), {
    file,
    line: violations[0]?.line,
    violations,
    suggested_next_actions: [`Correct ${file}; see docs/criticality.md for the format.`],
  });
}

function parseToml(file: string, text: string): unknown {
  try {
    return plainValue(file, parse(text));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const problem = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "") ?? "";
    throw new SlipwayError("config_invalid", `${file}:${error.line}:${error.column}: not valid TOML: ${problem}`, {
      file,
      line: error.line,
      column: error.column,
      suggested_next_actions: [`Correct line ${error.line} of ${file}.`],
    });
  }
}

/** An unquoted time is a value of its own in TOML; the specification has it as text. Zod would drop `__proto__` without a word. */
function plainValue(file: string, value: unknown): unknown {
  if (value instanceof TomlDate) return value.toISOString();
  if (Array.isArray(value)) return value.map((inner) => plainValue(file, inner));
  if (typeof value !== "object" || value === null) return value;
  if (Object.hasOwn(value, "__proto__")) {
    throw new SlipwayError("config_invalid", `${file}: the name "__proto__" is not allowed.`, {
      file,
      suggested_next_actions: ["Choose another name."],
    });
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainValue(file, inner)]));
}

function nameOf({ pointer }: SchemaViolation): string {
  return pointer === "" ? "the whole file" : pointer.slice(1).replaceAll("/", ".");
}
