import type { z } from "zod";
import { parseStrictJson } from "@slipway/kernel/schema/json";
import { checkSchema, pathOf } from "@slipway/kernel/schema/violations";
import type { ArtifactType } from "./envelope.ts";

/** A file that a body must contain, and its schema. */
export interface BodyRule {
  readonly file: string;
  readonly schema: z.ZodType;
  /** Fields that are set when the artifact is stored, with placeholders to validate against. */
  readonly later?: Readonly<Record<string, string>>;
}

export type Bodies = Readonly<Partial<Record<ArtifactType, readonly BodyRule[]>>>;

/** Reports every violation, each with its file and JSON pointer. */
export function checkBody(
  rules: readonly BodyRule[] = [],
  body: Readonly<Record<string, string>>,
  context: z.RefinementCtx,
  at: readonly string[] = [],
): void {
  for (const { file, schema, later = {} } of rules) {
    const problem = (path: readonly string[], message: string) =>
      context.addIssue({ code: "custom", path: [...at, file, ...path], message });
    const text = body[file];
    const parsed = text === undefined ? { ok: false as const, problem: "missing" } : parseStrictJson(text);
    if (!parsed.ok) {
      problem([], `is ${parsed.problem}`);
      continue;
    }
    const checked = checkSchema(schema, withLater(parsed.value, later));
    if (checked.ok) continue;
    for (const { pointer, message } of checked.violations) problem(pathOf(pointer), message);
  }
}

function withLater(value: unknown, later: Readonly<Record<string, string>>): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...later, ...value } : value;
}
