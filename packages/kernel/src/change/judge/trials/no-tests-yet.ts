import { stripVTControlCharacters } from "node:util";
import { toFailure, type Failure } from "@slipway/durable/errors";
import { SlipwayError } from "../../../schema/errors.ts";

/** What test runners say when they fail because there is no test, with the exit code they use for it. */
const SAID: readonly (readonly [exitCode: number, said: RegExp])[] = [
  // pytest, and unittest since Python 3.12
  [5, /^(?:=+ )?no tests ran in /m],
  [5, /^NO TESTS RAN/m],
  // pytest, if the folder of the tests does not exist yet
  [4, /^ERROR: file or directory not found: /m],
  // vitest, jest
  [1, /^No test files found, exiting with code 1/m],
  [1, /^No tests found, exiting with code 1/m],
];

/**
 * The failure of a step on the base if it says only that there are no tests: a change may be meant to add the first ones. Null if the step
 * failed for another reason. On a change itself such a step still fails.
 */
export function noTestsYet(step: string, exitCode: number | null, log: string): Failure | null {
  const text = stripVTControlCharacters(log);
  if (!SAID.some(([code, said]) => code === exitCode && said.test(text))) return null;
  return toFailure(
    new SlipwayError(
      "no_tests_ran",
      `Step "${step}" found no tests, and its exit code ${exitCode} says so. A change has to add the first ones.`,
      {
        exit_code: exitCode,
        suggested_next_actions: ["If there are tests, correct the step so that it finds them."],
      },
    ),
  );
}
