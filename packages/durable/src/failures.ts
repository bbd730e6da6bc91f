import { isJson } from "./canonical.ts";
import { SlipwayError, toFailure, type ErrorCode, type Failure } from "./errors.ts";

/** The storage gave way. Nothing is recorded then: the run halts and goes on once a person has mended it. */
const STORAGE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "database_locked",
  "database_read_only",
  "database_newer",
  "database_corrupt",
  "disk_full",
  "io_error",
]);

export function isStorageFailure(error: unknown): boolean {
  return error instanceof SlipwayError && STORAGE.has(error.code);
}

/** Not an outcome of the run, so not recorded as one: the machine gave way, or somebody else is in charge now. */
export function haltsRun(error: unknown): boolean {
  return isStorageFailure(error) || (error instanceof SlipwayError && error.code === "lease_lost");
}

export function isRetryable(error: unknown): boolean {
  return error instanceof SlipwayError && error.details.retryable;
}

/** What the journal keeps of an error that a step's body threw. */
export function stepFailure(step: string, error: unknown): Failure {
  if (error instanceof SlipwayError) return recordable(toFailure(error));
  const { message, details } = toFailure(error);
  return recordable({ code: "step_failed", message: `Step "${step}" failed: ${message}`, details: { ...details, step } });
}

/** Details are anything the thrower liked; the journal takes JSON. */
export function recordable({ code, message, details }: Failure): Failure {
  const kept = Object.entries(details).filter(([key, value]) => isJson({ [key]: value }));
  return { code, message: message.toWellFormed(), details: Object.fromEntries(kept) };
}
