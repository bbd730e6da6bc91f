import "@slipway/agents/errors";
import { NEEDS_PERSON, registerErrors, type ErrorMeaning } from "@slipway/durable/errors";

export { SlipwayError } from "@slipway/durable/errors";

export const RUNTIME_ERRORS = {
  nothing_to_resume: NEEDS_PERSON,
} as const satisfies Record<string, ErrorMeaning>;

declare module "@slipway/durable/errors" {
  interface ErrorMeanings extends Record<keyof typeof RUNTIME_ERRORS, ErrorMeaning> {}
}

registerErrors(RUNTIME_ERRORS);
