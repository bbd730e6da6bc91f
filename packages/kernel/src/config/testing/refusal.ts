import { SlipwayError } from "../../schema/errors.ts";
import type { ConfigViolation } from "../yaml.ts";

/** The error of a call; fails the test if the call succeeds. */
export function refusalOf(run: () => unknown): SlipwayError {
  try {
    run();
  } catch (error) {
    if (error instanceof SlipwayError) return error;
    throw error;
  }
  throw new Error("It was accepted.");
}

export function violationsIn(error: SlipwayError): ConfigViolation[] {
  return (error.details["violations"] ?? []) as ConfigViolation[];
}
