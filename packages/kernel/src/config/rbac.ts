const READ_TOOLS = [
  "feature.discover_specs",
  "feature.get_context",
  "feature.state_get",
  "plan.get",
  "repo.status",
  "repo.diff",
  "repo.read_file",
  "repo.search",
  "repo.diff_bundle",
  "gates.list",
  "evidence.latest",
  "qa.test_index_get",
  "collisions.scan",
] as const;

const REPORT_TOOLS = ["report.dashboard", "report.feature_summary"] as const;

/** Closed to every role but `system` unless a policy opens them. */
const SYSTEM_TOOLS = ["repo.ensure_worktree", "repo.commit", "repo.rebase_onto_main", "repo.merge", "feature.delete"] as const;

const ORCHESTRATOR_TOOLS = [
  "feature.init",
  "plan.submit",
  "plan.update",
  "locks.acquire",
  "locks.release",
  "gates.run",
  "feature.ready_to_merge",
  "feature.state_patch",
  "qa.test_index_update",
  "feature.log_append",
] as const;

export const TOOLS = [...READ_TOOLS, ...REPORT_TOOLS, ...ORCHESTRATOR_TOOLS, "repo.apply_patch", ...SYSTEM_TOOLS] as const;

/** A protocol adds the names of its own tools here, as `protocol.verb`. */
// oxlint-disable-next-line typescript/no-empty-object-type
export interface ProtocolTools {}

export type Tool = (typeof TOOLS)[number] | Extract<keyof ProtocolTools, string>;

export const ACTOR_ROLES = ["orchestrator", "planner", "builder", "qa", "system"] as const;

export type ActorRole = (typeof ACTOR_ROLES)[number];

/** Rights if policy.yaml has no `rbac`. */
export const DEFAULT_RBAC: Readonly<Record<ActorRole, readonly Tool[]>> = {
  orchestrator: [...READ_TOOLS, ...REPORT_TOOLS, ...ORCHESTRATOR_TOOLS],
  planner: [...READ_TOOLS, "plan.submit", "plan.update"],
  builder: [...READ_TOOLS, "repo.apply_patch", "gates.run"],
  qa: [...READ_TOOLS, "repo.apply_patch", "gates.run", "qa.test_index_update"],
  system: TOOLS,
};

/** The roles that the policy grants a tool to; no others may call it. */
export function rolesFor(rbac: Readonly<Record<ActorRole, readonly Tool[]>>, tool: Tool): ActorRole[] {
  return ACTOR_ROLES.filter((role) => rbac[role].includes(tool));
}
