import type { z } from "zod";
import { parseStrictJson } from "@slipway/kernel/schema/json";
import { checkSchema, pathOf } from "@slipway/kernel/schema/violations";
import type { ArtifactType } from "./envelope.ts";

/** A file of a body that has to be there, and what it has to say. */
export interface BodyRule {
  readonly file: string;
  readonly schema: z.ZodType;
  /** Fields that are only known once it is stored, with something that stands in for them. */
  readonly later?: Readonly<Record<string, string>>;
}

export type Bodies = Readonly<Partial<Record<ArtifactType, readonly BodyRule[]>>>;

/** Every violation at once, each at its place in its file. */
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
