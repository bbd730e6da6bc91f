import type { Tool } from "@slipway/kernel/config/rbac";
import type { RequestKind, WorkerRole } from "./schemas.ts";

/** What a worker returns, and the tool the supervisor calls with it. A tool `as` the worker passes the firewall first. */
interface Route {
  readonly tool: Tool;
  readonly as: "worker" | "orchestrator";
}

type Routed = "PLAN_SUBMISSION" | "PLAN_REVISION" | "PATCH" | "INDEX_UPDATE" | "NOTE";

/** Everything a worker's words can set in motion. Whatever is not here is refused; the provider has no part in it. */
export const ROUTES: Readonly<Record<WorkerRole, Readonly<Partial<Record<Routed, Route>>>>> = {
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

/** Who deals with a request, for each role that may make it. */
export const REQUESTS: Readonly<Record<RequestKind, Readonly<Partial<Record<WorkerRole, "arbitration" | "planner" | "next pack">>>>> = {
  lock: { builder: "arbitration", qa: "arbitration" },
  plan_amendment: { builder: "planner", qa: "planner" },
  more_context: { planner: "next pack", builder: "next pack", qa: "next pack" },
};

export function toolFor(role: WorkerRole, output: Routed): Tool {
  const route = ROUTES[role][output];
  if (route === undefined) throw new TypeError(`A ${role} has no ${output} to route.`);
  return route.tool;
}
