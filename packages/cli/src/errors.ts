import "@slipway/runtime/errors";
import { NEEDS_PERSON, RETRYABLE, registerErrors, type ErrorMeaning } from "@slipway/durable/errors";

export { SlipwayError } from "@slipway/durable/errors";

/** Error codes of the command line. */
export const CLI_ERRORS = {
  download_failed: RETRYABLE,
  unsupported_node: NEEDS_PERSON,
} as const satisfies Record<string, ErrorMeaning>;

declare module "@slipway/durable/errors" {
  interface ErrorMeanings extends Record<keyof typeof CLI_ERRORS, ErrorMeaning> {}
}

registerErrors(CLI_ERRORS);
