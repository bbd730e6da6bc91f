import { SlipwayError } from "../../schema/errors.ts";
import type { ErrorCode } from "@slipway/durable/errors";

const FULL = { code: "disk_full", what: "There is no space left", next: "Free some space, then run the command again." } as const;
const REFUSED = {
  code: "io_error",
  what: "The system does not allow it",
  next: "Check that your user can read and write the file and its folder.",
} as const;
const BLOCKED = {
  code: "io_error",
  what: "Something else is in its place",
  next: "Move it away, then run the command again.",
} as const;

/** System errors that a person can fix. Any other raw error is a bug in Slipway. */
const MEANINGS: Readonly<Record<string, { readonly code: ErrorCode; readonly what: string; readonly next: string }>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EACCES: REFUSED,
  EPERM: REFUSED,
  EROFS: REFUSED,
  EEXIST: BLOCKED,
  ENOTDIR: BLOCKED,
  EISDIR: BLOCKED,
  EIO: { code: "io_error", what: "The disk reported an error", next: "Check the disk, then run `slipway journal verify`." },
};

const FOLDER_GONE = {
  code: "not_a_repository",
  what: "The current folder no longer exists",
  next: "Change to a folder that exists.",
} as const;

/** Translates a system error that a person can fix; returns any other error unchanged. */
export function translateSystemError(error: unknown): unknown {
  if (error instanceof SlipwayError || !(error instanceof Error) || !("code" in error) || !("syscall" in error)) return error;
  const meaning = error.syscall === "uv_cwd" ? FOLDER_GONE : MEANINGS[String(error.code)];
  if (meaning === undefined) return error;
  const file = "path" in error ? String(error.path) : undefined;
  return new SlipwayError(
    meaning.code,
    `${meaning.what}: ${file ?? error.message}`,
    { ...(file === undefined ? {} : { file }), system: error.message, suggested_next_actions: [meaning.next] },
    { cause: error },
  );
}
