import { SlipwayError, type ErrorCode } from "@slipway/durable/errors";

/** Trouble with the machine, not an answer to the call: once mended, the same call must be able to succeed. */
const ENVIRONMENT: ReadonlySet<ErrorCode> = new Set([
  "database_read_only",
  "database_newer",
  "database_corrupt",
  "disk_full",
  "io_error",
  "object_missing",
  "object_corrupt",
  "lease_lost",
  "run_cancelled",
  "internal_error",
]);

/** Whether a failure is the operation's answer, to be given again to every repeat of the call. Unknown errors are bugs, not answers. */
export function isFinal(error: unknown): error is SlipwayError {
  return error instanceof SlipwayError && !error.details.retryable && !ENVIRONMENT.has(error.code);
}
