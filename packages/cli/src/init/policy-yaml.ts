import type { GateProposal } from "./detect.ts";
import { list, quoted } from "./yaml-text.ts";

export function policyYaml({ sharedPaths, readOnly }: Pick<GateProposal, "sharedPaths" | "readOnly">, baseBranch: string): string {
  return `# What agents may do, and what a person decides. Written by \`slipway init\`; it is yours to edit.
# \`slipway run\` reads this file from the last commit of the base branch, so commit what you change.
version: 1

# Where features start from and where they merge to.
worktree: { base_branch: ${quoted(baseBranch)} }

# A person approves the exact change before it merges. The first strategy is the default.
merge_policy:
  require_user_approval: true
  allowed_strategies: [merge_commit, squash, rebase]

# What a gate sees besides /usr and its own checkout; always read-only.
sandbox:
  # Folders of this repository that git ignores, shown from your checkout at the same place.
  shared_paths: ${list(sharedPaths)}
  # Toolchains and package caches outside /usr. \`~\` is the home folder of whoever runs Slipway.
  read_only: ${list(readOnly)}

# Every patch has to stay within the accepted plan.
patch_policy: { enforce_plan: true, enforce_allowed_areas: true }
path_rules: { matching: repo_prefix }
# Nothing below these folders may be changed, except by a feature that holds the lock "protected:<folder>" from locks.resources.
protected_areas: [slipway]

# Modes of gates.yaml that must pass on the way, and on exactly what merges.
required_modes: [fast, full]
required_merge_mode: full

# Agents never commit or merge by themselves.
commit_policy: { allow_commit: false, allow_merge: false }

# Things only one feature may change at a time.
locks:
  resources: [openapi, events, db_migrations]
  lease_ttl_seconds: 300

# The rest is required by the format and has one legal value.
config_precedence: [policy_hard_constraints, gates_profile_defaults, plan_verification_overrides]
implementation: { workspace: nx }
testing: { framework: vitest }
`;
}
