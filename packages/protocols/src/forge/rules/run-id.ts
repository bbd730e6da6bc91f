import { z } from "zod";

/** The time a run started, in UTC and whole seconds: `2026-02-26T14:30:00Z`. */
export const runIdSchema = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/, "a run id has the form 2026-02-26T14:30:00Z")
  .refine((id) => isTime(id), "names a time that does not exist");

export function runIdAt(now: Date): string {
  return now.toISOString().replace(/\.\d+Z$/, "Z");
}

/** For tags and folders: git refuses a colon in a tag, and Windows in a path. */
export function runIdInNames(runId: string): string {
  return runId.replaceAll(":", "-");
}

export function baselineTag(runId: string): string {
  return `pipeline-baseline-${runIdInNames(runId)}`;
}

function isTime(id: string): boolean {
  const time = Date.parse(id);
  return !Number.isNaN(time) && runIdAt(new Date(time)) === id;
}
