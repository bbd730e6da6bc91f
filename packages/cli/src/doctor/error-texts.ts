import { SlipwayError } from "../errors.ts";
import { problem, type DoctorFinding } from "./check.ts";

/** System error codes as text. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EACCES: "you have no permission to read or write it",
  EPERM: "the system does not allow it",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "your disk quota is used up",
  EIO: "the disk reported an error",
  ENOTDIR: "a component of its path is not a folder",
  EISDIR: "a folder is where a file should be",
  EEXIST: "it already exists",
  ELOOP: "its symbolic links form a loop",
  EMFILE: "this process has too many open files",
  ENFILE: "this machine has too many open files",
};

export function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return WORDS[code] ?? (error instanceof Error ? error.message : String(error));
}

/** A check that fails to run is reported as a problem. */
export function findingFromError(error: unknown): DoctorFinding {
  if (!(error instanceof SlipwayError)) {
    return problem(
      `This could not be checked: ${reasonOf(error)}.`,
      "Run `slipway doctor --verbose`. If the cause is not on your machine, it is a bug: please report it.",
    );
  }
  const [next = "Run `slipway doctor --verbose`."] = error.details.suggested_next_actions;
  return problem(error.message, next);
}
