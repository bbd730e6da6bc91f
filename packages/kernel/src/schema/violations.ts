import type { ErrorCode } from "@slipway/durable/errors";
import { z } from "zod";
import { closest } from "./hint.ts";
import { knownKeys, registeredCode, registeredKeyCode, requiredFields, type FieldPath } from "./shape.ts";

/** One broken rule of a schema: where, which rule, what was expected, and a sentence for the reader. */
export interface SchemaViolation {
  /** JSON pointer (RFC 6901); empty for the whole value. */
  readonly pointer: string;
  readonly rule: string;
  readonly expected: string;
  readonly message: string;
  /** Set where the broken rule has an error code of its own. */
  readonly code?: ErrorCode;
}

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly violations: readonly SchemaViolation[] };

/** Every violation at once, in the schema's order. */
export function checkSchema<S extends z.ZodType>(schema: S, value: unknown): Checked<z.output<S>> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, violations: result.error.issues.flatMap((issue) => violationsOf(issue, schema)) };
}

export function pointerOf(path: FieldPath): string {
  return path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

export function pathOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function violationsOf(issue: z.core.$ZodIssue, schema: z.core.$ZodType): SchemaViolation[] {
  const meant = meantBranch(issue);
  if (meant !== null) return meant.flatMap((inner) => violationsOf({ ...inner, path: [...issue.path, ...inner.path] }, schema));
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownField(key, issue.path, schema));
  const expected = expectation(issue);
  if (issue.input === undefined && issue.code !== "custom") {
    return requiredFields(schema, issue.path).map((path) => missing(path, path.length === issue.path.length ? expected : "a value"));
  }
  const ownRule = issue.code === "custom" ? issue.params?.["rule"] : undefined;
  const rule = typeof ownRule === "string" ? ownRule : (RULES[issue.code] ?? issue.code);
  const message =
    issue.code === "custom" || issue.code === "invalid_key" ? expected : `expected ${expected}, found ${shown(foundIn(issue))}`;
  const code = CODELESS_RULES.has(rule)
    ? null
    : rule === "key"
      ? registeredKeyCode(schema, issue.path)
      : registeredCode(schema, issue.path);
  return [{ pointer: pointerOf(issue.path), rule, expected, message, ...(code === null ? {} : { code }) }];
}

/** Of several forms, the one whose fixed values all fit: its errors say more than that no form fits. */
function meantBranch(issue: z.core.$ZodIssue): z.core.$ZodIssue[] | null {
  if (issue.code !== "invalid_union") return null;
  const [only, ...others] = issue.errors.filter((branch) => !branch.some(({ code }) => code === "invalid_value"));
  return only !== undefined && others.length === 0 && issue.errors.length > 1 ? only : null;
}

/** For a union that is told by one field, that field; the issue itself carries the whole value. */
function foundIn(issue: z.core.$ZodIssue): unknown {
  const { input } = issue;
  if (issue.code !== "invalid_union" || !("discriminator" in issue) || typeof input !== "object" || input === null) return input;
  return (input as Record<string, unknown>)[String(issue.discriminator)];
}

function unknownField(key: string, path: FieldPath, schema: z.core.$ZodType): SchemaViolation {
  const known = knownKeys(schema, path);
  const meant = closest(key, known);
  const hint =
    meant === null ? (known.length === 0 ? "" : ` (known here: ${known.join(", ")})`) : `; did you mean ${JSON.stringify(meant)}?`;
  const expected = known.length === 0 ? "no such field" : `one of ${known.join(", ")}`;
  return { pointer: pointerOf([...path, key]), rule: "unknown_field", expected, message: `unknown field ${JSON.stringify(key)}${hint}` };
}

function missing(path: FieldPath, expected: string): SchemaViolation {
  return { pointer: pointerOf(path), rule: "required", expected, message: `missing; expected ${expected}` };
}

/** A registered code is for the schema's own rule: not for a value of another type, nor for what a rule across fields found. */
const CODELESS_RULES = new Set(["type", "glob"]);

const RULES: Partial<Record<z.core.$ZodIssue["code"], string>> = {
  invalid_type: "type",
  invalid_value: "enum",
  too_small: "minimum",
  too_big: "maximum",
  invalid_format: "format",
  invalid_union: "form",
  invalid_key: "key",
  custom: "rule",
};

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return TYPE_NAMES[issue.expected] ?? issue.expected;
    case "invalid_value":
      return oneOf(issue.values.map((value) => JSON.stringify(value)));
    case "too_small":
      return size(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum);
    case "too_big":
      return size(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum);
    case "invalid_format":
      return issue.pattern === undefined ? `a valid ${issue.format}` : `text matching ${issue.pattern}`;
    case "invalid_union":
      if ("options" in issue && Array.isArray(issue.options)) return oneOf(issue.options.map((option) => JSON.stringify(option)));
      return oneOf([...new Set(issue.errors.flatMap((branch) => branch.slice(0, 1).map(expectation)))]);
    case "invalid_key":
      return issue.issues[0]?.message ?? issue.message;
    default:
      return issue.message;
  }
}

const TYPE_NAMES: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
  never: "nothing",
};

const UNITS: Record<string, [one: string, many: string]> = { string: ["character", "characters"], array: ["entry", "entries"] };

function size(origin: string, comparison: string, limit: number | bigint): string {
  const unit = UNITS[origin];
  if (unit === undefined) return `${comparison} ${limit}`;
  return `${comparison} ${limit} ${unit[Number(limit) === 1 ? 0 : 1]}`;
}

function oneOf(forms: readonly string[]): string {
  return forms.length === 1 ? String(forms[0]) : `one of ${forms.join(", ")}`;
}

const SHOWN_CHARACTERS = 60;

function shown(value: unknown): string {
  if (value === null) return "nothing (null)";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return "an object";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
