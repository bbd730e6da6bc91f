import { SlipwayError } from "../errors.ts";
import { problem, type DoctorFinding } from "./check.ts";

/** System error codes as text. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EACCES: "you may not read or write it",
  EPERM: "the system does not allow it",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "your share of the disk is used up",
  EIO: "the disk reported an error",
  ENOTDIR: "something that is not a folder is in the way",
  EISDIR: "a folder is where a file should be",
  EEXIST: "something else is already there",
  ELOOP: "links lead in a circle",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open on this machine",
};

export function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return WORDS[code] ?? (error instanceof Error ? error.message : String(error));
}

/** A check that fails to run is a finding of its own. */
export function thrown(error: unknown): DoctorFinding {
  if (!(error instanceof SlipwayError)) {
    return problem(
      `This could not be checked: ${reasonOf(error)}.`,
      "Run `slipway doctor --verbose`; if the reason is not yours, it is a bug: please report it.",
    );
  }
  const [next = "Run `slipway doctor --verbose`."] = error.details.suggested_next_actions;
  return problem(error.message, next);
}
