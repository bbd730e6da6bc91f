import { isJson } from "./canonical.ts";
import { SlipwayError, toFailure, type ErrorCode, type Failure } from "./errors.ts";

/** Failures of the storage. They are not recorded: the run halts and can be resumed once a person has fixed the cause. */
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

/** True for a storage failure or a lost lease. These are not recorded, because they are not an outcome of the run. */
export function haltsRun(error: unknown): boolean {
  return isStorageFailure(error) || (error instanceof SlipwayError && error.code === "lease_lost");
}

export function isRetryable(error: unknown): boolean {
  return error instanceof SlipwayError && error.details.retryable;
}

/** The failure that the journal records when a step's body throws. */
export function stepFailure(step: string, error: unknown): Failure {
  if (error instanceof SlipwayError) return recordable(toFailure(error));
  const { message, details } = toFailure(error);
  return recordable({ code: "step_failed", message: `Step "${step}" failed: ${message}`, details: { ...details, step } });
}

/** Drops details that are not JSON, because the journal cannot store them. */
export function recordable({ code, message, details }: Failure): Failure {
  const kept = Object.entries(details).filter(([key, value]) => isJson({ [key]: value }));
  return { code, message: message.toWellFormed(), details: Object.fromEntries(kept) };
}
