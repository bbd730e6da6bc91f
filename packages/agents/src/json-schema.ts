import { z } from "zod";

type JsonSchema = Readonly<Record<string, unknown>>;

export interface ShownSchema {
  readonly value: JsonSchema;
  /** The same with the fields that are accepted and not asked for. */
  readonly accepted: JsonSchema;
  /** The text in a prompt. */
  readonly text: string;
  /** Whether it has limits on values, such as patterns and lengths, which providers do not hold answers to. */
  readonly limits: boolean;
}

const shown = new WeakMap<z.ZodType, ShownSchema>();

/** A schema as shown to a role. Cached and frozen: computing it takes longer than the rest of a prompt. */
export function shownSchema(schema: z.ZodType): ShownSchema {
  const known = shown.get(schema);
  if (known !== undefined) return known;
  const accepted = frozen(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  const value = frozen(shownPart(accepted) as JsonSchema);
  const { $schema: _, ...inPrompt } = value;
  const made = { value, accepted, text: JSON.stringify(inPrompt), limits: hasLimits(value) };
  shown.set(schema, made);
  return made;
}

/** Metadata of a field that is accepted and not asked for, such as what the harness knows itself: `.meta(NOT_ASKED)`. */
export const NOT_ASKED = { not_asked: true } as const;

function shownPart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shownPart);
  if (typeof value !== "object" || value === null) return value;
  const shownEntries = Object.entries(value).filter(([key, inner]) => !isNotAsked(inner) && !isSafeIntegerBound(key, inner));
  return Object.fromEntries(shownEntries.map(([key, inner]) => [key, shownPart(inner)]));
}

function isNotAsked(value: unknown): boolean {
  return typeof value === "object" && value !== null && "not_asked" in value && value.not_asked === true;
}

/** zod writes these bounds at every integer. */
function isSafeIntegerBound(key: string, value: unknown): boolean {
  return (key === "maximum" && value === Number.MAX_SAFE_INTEGER) || (key === "minimum" && value === Number.MIN_SAFE_INTEGER);
}

const LIMITS: ReadonlySet<string> = new Set(
  "pattern format maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems propertyNames".split(
    " ",
  ),
);

function hasLimits(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasLimits);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, inner]) => (LIMITS.has(key) && typeof inner !== "object") || hasLimits(inner));
}

function frozen<T extends object>(value: T): T {
  for (const inner of Object.values(value))
    if (typeof inner === "object" && inner !== null && !Object.isFrozen(inner)) frozen(inner as object);
  return Object.freeze(value);
}
