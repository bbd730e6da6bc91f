import type { JsonSchema } from "./schemas.ts";

type Node = JsonSchema | boolean;

const MAPS = ["properties", "$defs", "patternProperties"] as const;
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"] as const;
const SINGLES = ["items", "additionalProperties", "propertyNames"] as const;

/**
 * Rewrites a schema so that every client reads it alike: several clients and model providers do not accept a list of types, a bare `false`,
 * or an empty object as a schema.
 */
export function portable(schema: JsonSchema): JsonSchema {
  const inner: Record<string, unknown> = { ...withinBounds(schema) };
  for (const key of MAPS) {
    const map = schema[key];
    if (map !== undefined) inner[key] = Object.fromEntries(Object.entries(map).map(([name, value]) => [name, asSchema(value)]));
  }
  for (const key of LISTS) {
    const list = schema[key];
    if (Array.isArray(list)) inner[key] = list.map(asSchema);
  }
  for (const key of SINGLES) {
    const single = schema[key];
    if (single !== undefined && !Array.isArray(single)) inner[key] = key === "additionalProperties" ? openness(single) : asSchema(single);
  }
  return withoutTypeList(inner as JsonSchema);
}

function asSchema(node: Node): JsonSchema {
  if (node === false) return { not: {} };
  return node === true ? {} : portable(node);
}

/** `additionalProperties` becomes a boolean if nothing is said about the values. */
function openness(node: Node): Node {
  if (typeof node === "boolean") return node;
  return Object.keys(node).length === 0 ? true : portable(node);
}

/** Every whole number is within these. */
function withinBounds({ minimum, maximum, ...rest }: JsonSchema): JsonSchema {
  return {
    ...rest,
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
  };
}

const ABOUT = ["description", "title", "default", "$schema"] as const;

function withoutTypeList(schema: JsonSchema): JsonSchema {
  const { type, ...rest } = schema as { type?: unknown };
  if (!Array.isArray(type)) return schema;
  const entries = Object.entries(rest);
  const about = Object.fromEntries(entries.filter(([key]) => ABOUT.some((word) => word === key)));
  const rules = Object.fromEntries(entries.filter(([key]) => !ABOUT.some((word) => word === key)));
  return { ...about, anyOf: type.map((name: unknown) => (name === "null" ? { type: "null" } : { type: name, ...rules })) } as JsonSchema;
}
