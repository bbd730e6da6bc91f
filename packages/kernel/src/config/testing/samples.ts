import { parse, stringify } from "yaml";

/** The smallest valid policy.yaml. */
export const POLICY_YAML = `version: 1
commit_policy: { allow_commit: false, allow_merge: false }
patch_policy: { enforce_plan: true, enforce_allowed_areas: true }
locks:
  resources: [openapi, events, db_migrations]
  lease_ttl_seconds: 60
protected_areas: []
required_modes: [fast, full]
required_merge_mode: full
config_precedence:
  - policy_hard_constraints
  - gates_profile_defaults
  - plan_verification_overrides
path_rules: { matching: repo_prefix }
implementation: { workspace: nx }
testing: { framework: vitest }
merge_policy: { allowed_strategies: [merge_commit, squash, rebase] }
worktree: { base_branch: main }
`;

/** The sample with one value replaced (or removed, if undefined) at a dotted path. */
export function policyYaml(changes: Readonly<Record<string, unknown>> = {}): string {
  const policy = parse(POLICY_YAML) as Record<string, unknown>;
  for (const [path, value] of Object.entries(changes)) set(policy, path.split("."), value);
  return stringify(policy);
}

function set(target: Record<string, unknown>, [key = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    if (value === undefined) delete target[key];
    else target[key] = value;
    return;
  }
  const inner = (target[key] ??= {}) as Record<string, unknown>;
  set(inner, rest, value);
}
