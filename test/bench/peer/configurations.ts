import type { Files } from "./repository.ts";

const GATE = `version: 1
profiles:
  default:
    modes:
      fast: [{ name: nothing, cmd: ["true"] }]
      full: [{ name: nothing, cmd: ["true"] }]
      merge: [{ name: nothing, cmd: ["true"] }]
`;

const OUR_POLICY = `version: 1
commit_policy: { allow_commit: false, allow_merge: false }
patch_policy: { enforce_plan: true, enforce_allowed_areas: true }
locks:
  resources: [openapi, events, db_migrations]
  lease_ttl_seconds: 300
  default_wait_timeout_seconds: 300
  acquire_backoff: { initial_seconds: 0.2, max_seconds: 5 }
protected_areas: [slipway]
required_modes: [fast, full]
required_merge_mode: full
config_precedence: [policy_hard_constraints, gates_profile_defaults, plan_verification_overrides]
path_rules: { matching: repo_prefix }
merge_policy: { allowed_strategies: [merge_commit, squash, rebase] }
worktree: { base_branch: main, root: .worktrees }
implementation: { workspace: nx }
testing: { framework: vitest }
`;

export const OUR_CONFIGURATION: Files = { "slipway/gates.yaml": GATE, "slipway/policy.yaml": OUR_POLICY };

/** The policy that it ships with. */
export const THEIR_CONFIGURATION: Files = { "config/agentic/orchestrator/gates.yaml": GATE, ".gitignore": ".aop/\n.worktrees/\n" };
