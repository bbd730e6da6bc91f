/** What a failure means for the caller. Every code that leaves Slipway is a row here. */
interface Meaning {
  readonly retryable: boolean;
  readonly requiresHuman: boolean;
}

const user: Meaning = { retryable: false, requiresHuman: true };
const again: Meaning = { retryable: true, requiresHuman: false };
const refused: Meaning = { retryable: false, requiresHuman: false };

export const ERROR_CODES = {
  // durable runs
  run_not_found: user,
  run_exists: refused,
  run_cancelled: refused,
  run_stopped: again,
  run_crashed_too_often: user,
  run_lease_held: again,
  lease_lost: refused,
  duplicate_step: refused,
  step_failed: refused,
  step_timeout: again,
  question_expired: user,
  workflow_unknown: user,
  workflow_version_changed: user,
  journal_broken: user,
  payload_not_json: refused,
  // storage
  database_locked: again,
  database_read_only: user,
  database_newer: user,
  database_corrupt: user,
  disk_full: user,
  io_error: user,
  object_missing: user,
  object_corrupt: user,
  // repository and configuration
  not_a_repository: user,
  repository_unsuitable: user,
  git_failed: refused,
  git_missing: user,
  config_missing: user,
  config_invalid: user,
  schema_validation_failed: refused,
  // operations
  unauthenticated: user,
  forbidden_tool_for_role: refused,
  version_conflict: again,
  operation_conflict: refused,
  operation_in_progress: again,
  feature_not_found: user,
  invalid_status_transition: refused,
  // plans, patches, locks, collisions
  plan_not_found: refused,
  policy_violation: refused,
  path_out_of_bounds: refused,
  patch_apply_failed: refused,
  patch_rejected: refused,
  worktree_changed: again,
  worktree_swapped: user,
  worktree_edited: user,
  lock_not_held: refused,
  lock_conflict: again,
  stale_lock_reclaimed: refused,
  collision_detected: refused,
  blocked_by_collision_policy: refused,
  invalid_override_precedence: refused,
  qa_index_version_conflict: again,
  invalid_workspace_implementation: user,
  // sandbox and gates
  sandbox_unavailable: user,
  sandbox_limit_exceeded: refused,
  unknown_gate_profile_or_mode: user,
  unsupported_parser: user,
  gate_failed: refused,
  gate_timeout: refused,
  gate_command_missing: user,
  transient_exec_failure: again,
  coverage_below_minimum: refused,
  no_tests_ran: refused,
  tests_contradict_sources: refused,
  // approvals and merge
  commit_disabled: user,
  merge_disabled: user,
  merge_failed: user,
  base_moved: again,
  checkout_in_the_way: user,
  user_approval_required: user,
  approval_invalid: user,
  question_not_found: user,
  question_closed: refused,
  answer_invalid: user,
  answer_not_allowed: user,
  // agents
  missing_role_prompt: user,
  agent_provider_not_configured: user,
  unsupported_agent_provider: user,
  provider_auth_missing: user,
  agent_output_invalid: refused,
  agent_failed: again,
  agent_refused: refused,
  agent_not_installed: user,
  /** A pause, not a failure: `wake_at` says until when. */
  rate_limited: again,
  quota_exhausted: again,
  provider_unavailable: user,
  /** The agent is somebody who answers in their own time: asked, then done again. */
  answer_pending: { retryable: true, requiresHuman: true },
  context_overflow: user,
  cassette_missing: user,
  cassette_answer_missing: user,
  budget_exceeded: user,
  // command line
  invalid_cli_args: user,
  input_path_not_found: user,
  no_specs_found: user,
  spec_ingest_failed: user,
  invalid_feature_slug: user,
  feature_slug_collision: user,
  nothing_to_resume: user,
  delete_refused: user,
  download_failed: again,
  unsupported_node: user,
  // everything else
  internal_error: refused,
} as const satisfies Record<string, Meaning>;

export type ErrorCode = keyof typeof ERROR_CODES;

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
    const { retryable, requiresHuman } = ERROR_CODES[code];
    this.details = { retryable, requires_human: requiresHuman, suggested_next_actions: [], ...details };
  }
}

/** A failure as a value: what the journal keeps and what surfaces print. */
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
  // A journal may outlive the code that wrote it.
  const code = failure.code in ERROR_CODES ? failure.code : "internal_error";
  return new SlipwayError(code, failure.message, failure.details, options);
}
