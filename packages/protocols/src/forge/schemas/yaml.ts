import { SlipwayError } from "@slipway/agents/errors";
import { parseYamlConfig, type ConfigViolation } from "@slipway/kernel/config/yaml";
import { parse, stringify } from "yaml";
import type { z } from "zod";
import type { ForgeDocument } from "./documents.ts";

export type ReadYaml<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly errors: readonly string[] };

/** `completion` first; equal documents give equal bytes. */
export function toYaml<P>({ completion, agent_output }: ForgeDocument<P>): string {
  return yamlText({ completion, agent_output });
}

/** A file of the run folder without the common header. */
export function yamlText(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** A text that `yamlText` has made, as it is recorded: of any length, which an answer is not. */
export function readOwnYaml<T>(text: string, schema: z.ZodType<T>): ReadYaml<T> {
  const checked = schema.safeParse(parse(text, { maxAliasCount: 0 }));
  if (checked.success) return { ok: true, value: checked.data };
  return { ok: false, errors: checked.error.issues.map(({ path, message }) => `${path.join("/")}: ${message}`) };
}

export function recordedYaml<T>(text: string, schema: z.ZodType<T>, file: string): T {
  const read = readOwnYaml(text, schema);
  if (read.ok) return read.value;
  throw invalidRecord(file, read.errors);
}

export function invalidRecord(file: string, errors: readonly string[]): SlipwayError {
  return new SlipwayError("schema_validation_failed", `${file} is recorded and not valid: ${errors.join("; ")}`, {
    file,
    suggested_next_actions: ["Run `slipway journal verify` to see what was changed."],
  });
}

/** Every error of the text, with its field. Keys that the schema does not know are dropped. */
export function readYaml<T>(text: string, schema: z.ZodType<T>, file = "the document"): ReadYaml<T> {
  try {
    return { ok: true, value: parseYamlConfig(file, text, schema) };
  } catch (error) {
    if (!(error instanceof SlipwayError)) throw error;
    const violations = (error.details["violations"] ?? []) as readonly ConfigViolation[];
    if (violations.length === 0) return { ok: false, errors: [error.message] };
    return {
      ok: false,
      errors: violations.map(({ line, pointer, message }) => `line ${line}: ${pointer === "" ? "" : `${pointer}: `}${message}`),
    };
  }
}
