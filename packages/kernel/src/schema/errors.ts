import { NEEDS_PERSON, REFUSED, RETRYABLE, registerErrors, type ErrorMeaning } from "@slipway/durable/errors";

export { SlipwayError } from "@slipway/durable/errors";

/** The codes of the kernel. Its files, and those of packages above it without codes of their own, import `SlipwayError` from here. */
export const KERNEL_ERRORS = {
  // repository and configuration
  not_a_repository: NEEDS_PERSON,
  repository_unsuitable: NEEDS_PERSON,
  git_failed: REFUSED,
  git_missing: NEEDS_PERSON,
  config_missing: NEEDS_PERSON,
  config_invalid: NEEDS_PERSON,
  configuration_not_trusted: NEEDS_PERSON,
  unsupported_agent_provider: NEEDS_PERSON,
  // operations
  unauthenticated: NEEDS_PERSON,
  forbidden_tool_for_role: REFUSED,
  version_conflict: RETRYABLE,
  operation_conflict: REFUSED,
  operation_in_progress: RETRYABLE,
  feature_not_found: NEEDS_PERSON,
  invalid_status_transition: REFUSED,
  // decisions
  decision_not_found: REFUSED,
  decision_exists: REFUSED,
  decision_protected: REFUSED,
  decision_dependency_invalid: REFUSED,
  // plans, patches, locks, collisions
  plan_not_found: REFUSED,
  policy_violation: REFUSED,
  path_out_of_bounds: REFUSED,
  patch_apply_failed: REFUSED,
  patch_rejected: REFUSED,
  worktree_changed: RETRYABLE,
  worktree_swapped: NEEDS_PERSON,
  worktree_edited: NEEDS_PERSON,
  lock_not_held: REFUSED,
  lock_conflict: RETRYABLE,
  stale_lock_reclaimed: REFUSED,
  collision_detected: REFUSED,
  blocked_by_collision_policy: REFUSED,
  invalid_override_precedence: REFUSED,
  qa_index_version_conflict: RETRYABLE,
  invalid_workspace_implementation: NEEDS_PERSON,
  // sandbox and gates
  sandbox_unavailable: NEEDS_PERSON,
  sandbox_limit_exceeded: REFUSED,
  unknown_gate_profile_or_mode: NEEDS_PERSON,
  unsupported_parser: NEEDS_PERSON,
  gate_failed: REFUSED,
  gate_timeout: REFUSED,
  gate_command_missing: NEEDS_PERSON,
  transient_exec_failure: RETRYABLE,
  coverage_below_minimum: REFUSED,
  no_tests_ran: REFUSED,
  tests_contradict_sources: REFUSED,
  expected_tests_not_run: NEEDS_PERSON,
  verdict_not_proven: NEEDS_PERSON,
  // approvals and merge
  commit_disabled: NEEDS_PERSON,
  merge_disabled: NEEDS_PERSON,
  merge_failed: NEEDS_PERSON,
  base_moved: RETRYABLE,
  checkout_in_the_way: NEEDS_PERSON,
  user_approval_required: NEEDS_PERSON,
  approval_invalid: NEEDS_PERSON,
  evidence_tampered: NEEDS_PERSON,
  question_not_found: NEEDS_PERSON,
  answer_invalid: NEEDS_PERSON,
  answer_not_allowed: NEEDS_PERSON,
  // agents
  /** A pause, not a failure: `wake_at` says until when. */
  rate_limited: RETRYABLE,
  quota_exhausted: RETRYABLE,
  budget_exceeded: NEEDS_PERSON,
  // source code of target languages
  source_syntax: REFUSED,
  function_not_found: REFUSED,
  body_syntax: REFUSED,
  body_escapes: REFUSED,
  compiler_failed: RETRYABLE,
  tool_missing: NEEDS_PERSON,
  // command line
  invalid_cli_args: NEEDS_PERSON,
  input_path_not_found: NEEDS_PERSON,
  no_specs_found: NEEDS_PERSON,
  spec_ingest_failed: NEEDS_PERSON,
  invalid_feature_slug: NEEDS_PERSON,
  feature_slug_collision: NEEDS_PERSON,
  delete_refused: NEEDS_PERSON,
} as const satisfies Record<string, ErrorMeaning>;

declare module "@slipway/durable/errors" {
  interface ErrorMeanings extends Record<keyof typeof KERNEL_ERRORS, ErrorMeaning> {}
}

registerErrors(KERNEL_ERRORS);
