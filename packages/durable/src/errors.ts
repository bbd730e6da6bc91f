/** How the caller can react to a failure. */
export interface ErrorMeaning {
  readonly retryable: boolean;
  readonly requiresHuman: boolean;
}

export const NEEDS_PERSON: ErrorMeaning = { retryable: false, requiresHuman: true };
export const RETRYABLE: ErrorMeaning = { retryable: true, requiresHuman: false };
export const REFUSED: ErrorMeaning = { retryable: false, requiresHuman: false };

export const DURABLE_ERRORS = {
  // durable runs
  run_not_found: NEEDS_PERSON,
  run_exists: REFUSED,
  run_cancelled: REFUSED,
  run_stopped: RETRYABLE,
  run_crashed_too_often: NEEDS_PERSON,
  run_lease_held: RETRYABLE,
  lease_lost: REFUSED,
  duplicate_step: REFUSED,
  step_failed: REFUSED,
  step_timeout: RETRYABLE,
  question_expired: NEEDS_PERSON,
  workflow_unknown: NEEDS_PERSON,
  workflow_version_changed: NEEDS_PERSON,
  journal_broken: NEEDS_PERSON,
  payload_not_json: REFUSED,
  // storage
  database_locked: RETRYABLE,
  database_read_only: NEEDS_PERSON,
  database_newer: NEEDS_PERSON,
  database_corrupt: NEEDS_PERSON,
  disk_full: NEEDS_PERSON,
  io_error: NEEDS_PERSON,
  object_missing: NEEDS_PERSON,
  object_corrupt: NEEDS_PERSON,
  // repository and configuration
  schema_validation_failed: REFUSED,
  // approvals and merge
  question_closed: REFUSED,
  // everything else
  internal_error: REFUSED,
} as const satisfies Record<string, ErrorMeaning>;

/** Every error code of Slipway. The `errors.ts` of a package adds its codes here and registers their meanings. */
export interface ErrorMeanings extends Record<keyof typeof DURABLE_ERRORS, ErrorMeaning> {}

export type ErrorCode = Extract<keyof ErrorMeanings, string>;

const meanings = new Map<string, ErrorMeaning>(Object.entries(DURABLE_ERRORS));

/** Called by the `errors.ts` of a package. Its files import `SlipwayError` from there, so a code is registered before it is thrown. */
export function registerErrors(table: Readonly<Record<string, ErrorMeaning>>): void {
  for (const [code, meaning] of Object.entries(table)) {
    if (meanings.has(code)) throw new TypeError(`The error code ${code} is registered twice.`);
    meanings.set(code, meaning);
  }
}

export interface ErrorDetails {
  readonly suggested_next_actions?: readonly string[];
  readonly [field: string]: unknown;
}

export class SlipwayError extends Error {
  override readonly name = "SlipwayError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails & { retryable: boolean; requires_human: boolean; suggested_next_actions: readonly string[] };

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    const { retryable, requiresHuman } = meanings.get(code) ?? unregistered(code);
    this.details = { retryable, requires_human: requiresHuman, suggested_next_actions: [], ...details };
  }
}

/** A failure as a value, for the journal and for output. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Record<string, unknown>;
}

export function toFailure(error: unknown): Failure {
  if (error instanceof SlipwayError) return { code: error.code, message: error.message, details: { ...error.details } };
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal_error", message, details: { retryable: false, requires_human: false, suggested_next_actions: [] } };
}

export function fromFailure(failure: Failure, options?: { cause?: unknown }): SlipwayError {
  // Another version of Slipway may have written the journal, with codes that this one lacks.
  const code = meanings.has(failure.code) ? failure.code : "internal_error";
  return new SlipwayError(code, failure.message, failure.details, options);
}

function unregistered(code: string): never {
  throw new TypeError(`The error code ${code} is not registered: import SlipwayError from the errors.ts of the package that owns it.`);
}
