import "@slipway/kernel/schema/errors";
import { NEEDS_PERSON, REFUSED, RETRYABLE, registerErrors, type ErrorMeaning } from "@slipway/durable/errors";

export { SlipwayError } from "@slipway/durable/errors";

/** The codes of agents. */
export const AGENT_ERRORS = {
  // agents
  missing_role_prompt: NEEDS_PERSON,
  agent_provider_not_configured: NEEDS_PERSON,
  provider_auth_missing: NEEDS_PERSON,
  agent_output_invalid: REFUSED,
  agent_failed: RETRYABLE,
  agent_refused: REFUSED,
  agent_not_installed: NEEDS_PERSON,
  provider_unavailable: NEEDS_PERSON,
  /** A person or tool answers later: the run asks a question and repeats the step. */
  answer_pending: { retryable: true, requiresHuman: true },
  context_overflow: NEEDS_PERSON,
  cassette_missing: NEEDS_PERSON,
  cassette_answer_missing: NEEDS_PERSON,
} as const satisfies Record<string, ErrorMeaning>;

declare module "@slipway/durable/errors" {
  interface ErrorMeanings extends Record<keyof typeof AGENT_ERRORS, ErrorMeaning> {}
}

registerErrors(AGENT_ERRORS);
