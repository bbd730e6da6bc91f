import { repositoryPath } from "@slipway/kernel/paths/fields";
import { z } from "zod";

const MAX_LINE = 200;
const MAX_TEXT = 20_000;
const MAX_ENTRIES = 500;

export const text = z.string().regex(/\S/, "must not be empty").max(MAX_TEXT);
export const line = z
  .string()
  .regex(/^[^\r\n]*\S[^\r\n]*$/, "must be one line that is not empty")
  .max(MAX_LINE);
export const count = z.int().min(0);
export const time = z.iso.datetime({ offset: true, error: "must be a time in ISO 8601, such as 2026-02-26T14:30:00Z" });
export const path = repositoryPath;

export const taskId = z.string().regex(/^task-\d{2,}$/, "a task id has the form task-01");
export const requirementId = z.string().regex(/^FR-\d+$/, "a requirement id has the form FR-1");
export const criterionId = z.string().regex(/^AC-\d+$/, "a criterion id has the form AC-1");
export const decisionId = z.string().regex(/^D-\d+$/, "a decision id has the form D-1");
export const alternativeId = z.string().regex(/^alt-\d+$/, "an alternative id has the form alt-1");
/** Also part of a file name. */
export const focusName = z.string().regex(/^[a-z][a-z0-9-]{0,40}$/, "a focus is a lowercase word such as architecture");

export function list<S extends z.ZodType>(entry: S, minimum = 0) {
  return z.array(entry).min(minimum).max(MAX_ENTRIES);
}

/** Adds one violation for each key that occurs twice. */
export function uniqueBy<T>(key: (entry: T) => string, name: string) {
  return (entries: readonly T[], context: z.core.$RefinementCtx<readonly T[]>) => {
    const seen = new Set<string>();
    for (const [index, entry] of entries.entries()) {
      const value = key(entry);
      if (seen.has(value)) context.addIssue({ code: "custom", path: [index], message: `the ${name} ${value} is given twice` });
      seen.add(value);
    }
  };
}
