import { SlipwayError, type ErrorCode } from "@slipway/durable/errors";

/** Trouble around the call, not an answer to it: once mended, the same call must be able to succeed. */
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
  // A person decides about it elsewhere, and the call that met it is then carried out.
  "worktree_edited",
]);

/** Whether a failure is the operation's answer, to be given again to every repeat of the call. Unknown errors are bugs, not answers. */
export function isFinal(error: unknown): error is SlipwayError {
  return error instanceof SlipwayError && !error.details.retryable && !ENVIRONMENT.has(error.code);
}
