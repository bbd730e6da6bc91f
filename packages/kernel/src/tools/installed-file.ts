import { readFileSync } from "node:fs";
import { SlipwayError } from "../schema/errors.ts";
import { z } from "zod";
import { parseStrictJson } from "../schema/json.ts";
import { checkSchema } from "../schema/violations.ts";
import { checkFor, type JsonSchema } from "./schemas.ts";

/** Reads a file of the installation. A missing or changed file stops start-up. */
export function readShipped<S extends z.ZodType>(path: string, schema: S): z.output<S> {
  const parsed = parseStrictJson(readText(path));
  if (!parsed.ok) throw damaged(path, `It is ${parsed.problem}.`);
  const checked = checkSchema(schema, parsed.value);
  if (checked.ok) return checked.value;
  throw damaged(path, checked.violations.map(({ pointer, message }) => `${pointer || "/"}: ${message}`).join("; "));
}

const jsonSchema = z.looseObject({ $schema: z.literal("https://json-schema.org/draft/2020-12/schema") });

/** A schema as it is on disk. */
export function readSchema(path: string): JsonSchema {
  return readShipped(path, jsonSchema) as JsonSchema;
}

/** As a check. */
export function readCheck(path: string): z.ZodType {
  const schema = readSchema(path);
  try {
    return checkFor(schema);
  } catch (error) {
    throw damaged(path, error instanceof Error ? error.message : String(error));
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw damaged(path, error instanceof Error ? error.message : String(error));
  }
}

export function damaged(path: string, reason: string): SlipwayError {
  return new SlipwayError("config_invalid", `${path} cannot be used. ${reason}`, {
    file: path,
    suggested_next_actions: ["Install Slipway again: one of its own files is missing or was changed."],
  });
}
