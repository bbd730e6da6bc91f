import { z } from "zod";

type JsonSchema = Readonly<Record<string, unknown>>;

export interface ShownSchema {
  readonly value: JsonSchema;
  /** The text in a prompt. */
  readonly text: string;
}

const shown = new WeakMap<z.ZodType, ShownSchema>();

/** A schema as shown to a role. Cached and frozen: computing it takes longer than the rest of a prompt. */
export function shownSchema(schema: z.ZodType): ShownSchema {
  const known = shown.get(schema);
  if (known !== undefined) return known;
  const value = frozen(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  const made = { value, text: JSON.stringify(value, null, 2) };
  shown.set(schema, made);
  return made;
}

function frozen<T extends object>(value: T): T {
  for (const inner of Object.values(value))
    if (typeof inner === "object" && inner !== null && !Object.isFrozen(inner)) frozen(inner as object);
  return Object.freeze(value);
}
