import type { ErrorCode } from "@slipway/durable/errors";
import { z } from "zod";

export type FieldPath = readonly PropertyKey[];

/** A schema registered here fails with its own error code instead of the general one. */
export const errorCodes = z.registry<{ code: ErrorCode }>();

/** The names a schema knows at `path`; empty where it is not an object. */
export function knownKeys(schema: z.core.$ZodType, path: FieldPath): string[] {
  const found = layersAt(schema, path).at(-1);
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
}

export function registeredCode(schema: z.core.$ZodType, path: FieldPath): ErrorCode | null {
  return codeOf(layersAt(schema, path));
}

/** The code of the rule for a record's keys, where the key itself is what is wrong. */
export function registeredKeyCode(schema: z.core.$ZodType, path: FieldPath): ErrorCode | null {
  const record = layersAt(schema, path.slice(0, -1)).at(-1);
  return record instanceof z.ZodRecord ? codeOf(unwrapped(record.keyType)) : null;
}

function codeOf(layers: readonly z.core.$ZodType[]): ErrorCode | null {
  for (const layer of layers) {
    const registered = errorCodes.get(layer);
    if (registered !== undefined) return registered.code;
  }
  return null;
}

/** When a whole object is missing, every required field in it is: their paths below `path`, or `path` itself for a plain value. */
export function requiredFields(schema: z.core.$ZodType, path: FieldPath): FieldPath[] {
  const found = layersAt(schema, path).at(-1);
  if (!(found instanceof z.ZodObject)) return [path];
  const names = Object.entries(found.shape).filter(([, field]) => !z.safeParse(field, undefined).success);
  const fields = names.flatMap(([name]) => requiredFields(schema, [...path, name]));
  return fields.length === 0 ? [path] : fields;
}

/** The schema at `path` with everything wrapped around it, outermost first; empty where the schema says nothing about that path. */
function layersAt(schema: z.core.$ZodType, path: FieldPath): z.core.$ZodType[] {
  let layers = unwrapped(schema);
  for (const key of path) {
    const inner = child(layers.at(-1), key);
    if (inner === null) return [];
    layers = unwrapped(inner);
  }
  return layers;
}

function child(schema: z.core.$ZodType | undefined, key: PropertyKey): z.core.$ZodType | null {
  if (schema instanceof z.ZodObject) return typeof key === "string" && Object.hasOwn(schema.shape, key) ? schema.shape[key] : null;
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  return null;
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType[] {
  const layers = [schema];
  for (let inner = within(schema); inner !== null; inner = within(inner)) layers.push(inner);
  return layers;
}

function within(schema: z.core.$ZodType): z.core.$ZodType | null {
  if (schema instanceof z.ZodPipe) return schema.in;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return schema.unwrap();
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return schema.unwrap();
  return null;
}
