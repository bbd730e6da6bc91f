import { parseStrictJson } from "@slipway/kernel/schema/json";
import type { JSONSchema7 } from "ai";
import type { Endpoint } from "./endpoints.ts";

/** The schema of an answer in the form the endpoint accepts. */
export interface NativeSchema {
  readonly schema: JSONSchema7;
  /** Whether the endpoint can enforce it strictly. */
  readonly strict: boolean;
  /** Converts the text of the answer back to our schema. */
  readonly unwrap: (text: string) => string;
}

type Schema = Readonly<Record<string, unknown>>;

/** Anthropic rejects or mishandles more optional fields. */
const MAX_OPTIONAL = 10;
/** Keywords that endpoints treat differently; every answer is validated against the full schema anyway. */
const LEFT_TO_US = new Set(
  "$schema $id default examples pattern format minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems propertyNames".split(
    " ",
  ),
);
const WRAPPER = "answer";

/** Null if the schema is only described in the prompt. */
export function nativeSchema(
  { kind, schemas }: Pick<Endpoint, "kind" | "schemas">,
  schema: Schema,
  withTools: boolean,
): NativeSchema | null {
  // Servers that force the format from the first token on leave the model no way to call a tool.
  if (kind === "openai-compatible" && (withTools || !schemas)) return null;
  const simple = simplified(schema) as Schema;
  const wraps = simple["type"] !== "object";
  const native = wraps ? { type: "object", properties: { [WRAPPER]: simple }, required: [WRAPPER], additionalProperties: false } : simple;
  const { open, optional, references } = schemaTraits(native);
  if (kind === "anthropic" && (open || references || optional > MAX_OPTIONAL)) return null;
  if (wraps && references) return null;
  return { schema: native as JSONSchema7, strict: !open && !references && optional === 0, unwrap: wraps ? unwrapped : (text) => text };
}

/** A text without the wrapper is returned unchanged: validation reports it. */
function unwrapped(text: string): string {
  const json = parseStrictJson(text);
  if (!json.ok || typeof json.value !== "object" || json.value === null) return text;
  const entries = Object.entries(json.value);
  return entries.length === 1 && entries[0]?.[0] === WRAPPER ? JSON.stringify(entries[0][1]) : text;
}

function simplified(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simplified);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !LEFT_TO_US.has(key))
      .map(([key, inner]) => {
        if (key === "properties" || key === "$defs") return [key, mapped(inner)];
        if (key === "enum" || key === "const" || key === "required") return [key, inner];
        return [key === "oneOf" ? "anyOf" : key, simplified(inner)];
      }),
  );
}

/** Property names are not schema keywords. */
function mapped(properties: unknown): unknown {
  return Object.fromEntries(Object.entries(properties as object).map(([name, schema]) => [name, simplified(schema)]));
}

function schemaTraits(value: unknown): { open: boolean; optional: number; references: boolean } {
  const traits = { open: false, optional: 0, references: false };
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) return part.forEach(visit);
    if (typeof part !== "object" || part === null) return;
    const { type, properties, required, additionalProperties, $ref } = part as Schema;
    const names = Object.keys((properties as object | undefined) ?? {});
    if (type === "object" && additionalProperties !== false) traits.open = true;
    if (type === "object") traits.optional += names.filter((name) => !((required as string[] | undefined) ?? []).includes(name)).length;
    if ($ref !== undefined) traits.references = true;
    // An empty schema allows any value.
    if (Object.keys(part).length === 0) traits.open = true;
    for (const [key, inner] of Object.entries(part)) {
      if (key === "properties" || key === "$defs") Object.values(inner as object).forEach(visit);
      else if (key !== "enum" && key !== "const" && key !== "required") visit(inner);
    }
  };
  visit(value);
  return traits;
}
