import type { Tool } from "@slipway/kernel/config/rbac";

/** The roles that the policy (`rbac`) lets change a feature. */
export type WorkerRole = "planner" | "builder" | "qa";

/** Worker outputs that call a tool. */
export type Routed = "PLAN_SUBMISSION" | "PLAN_REVISION" | "PATCH" | "INDEX_UPDATE" | "NOTE";

/** `as` names the actor of the call. */
interface Route {
  readonly tool: Tool;
  readonly as: "worker" | "orchestrator";
}

/** Every tool call that a worker's output can cause. Anything else is refused. */
const ROUTES: Readonly<Record<WorkerRole, Readonly<Partial<Record<Routed, Route>>>>> = {
  planner: {
    PLAN_SUBMISSION: { tool: "plan.submit", as: "worker" },
    PLAN_REVISION: { tool: "plan.update", as: "worker" },
    NOTE: { tool: "feature.log_append", as: "orchestrator" },
  },
  builder: {
    PATCH: { tool: "repo.apply_patch", as: "worker" },
    NOTE: { tool: "feature.log_append", as: "orchestrator" },
  },
  qa: {
    PATCH: { tool: "repo.apply_patch", as: "worker" },
    INDEX_UPDATE: { tool: "qa.test_index_update", as: "worker" },
    NOTE: { tool: "feature.log_append", as: "orchestrator" },
  },
};

export function toolFor(role: WorkerRole, output: Routed): Tool {
  const route = ROUTES[role][output];
  if (route === undefined) throw new TypeError(`The role ${role} cannot return ${output}.`);
  return route.tool;
}
