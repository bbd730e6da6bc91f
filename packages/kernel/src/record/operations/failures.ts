import { SlipwayError } from "../../schema/errors.ts";
import type { ErrorCode } from "@slipway/durable/errors";

/** Problems of the environment, not answers: the same call must be able to succeed after they are fixed. */
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
  // A person decides separately; then the same call is performed.
  "worktree_edited",
]);

/** Whether the error is the operation's recorded answer, returned to every repeat of the call. Unknown errors are bugs, not answers. */
export function isFinal(error: unknown): error is SlipwayError {
  return error instanceof SlipwayError && !error.details.retryable && !ENVIRONMENT.has(error.code);
}
