import { SlipwayError, type ErrorCode } from "@slipway/durable/errors";
import { rolesFor, type Tool } from "@slipway/kernel/config/rbac";
import type { Call } from "@slipway/kernel/record/operations/call";
import { attempt } from "./attempt.ts";
import { toolFor } from "./routing.ts";
import type { WorkerRole } from "./schemas.ts";
import { workerCall, workerSession, type Outcome, type Site } from "./site.ts";

export interface WorkerCall<T> {
  readonly role: WorkerRole;
  readonly output: Parameters<typeof toolFor>[1];
  readonly step: string;
  readonly batch?: string;
  readonly returned?: readonly ErrorCode[];
  readonly body: (call: Call) => Promise<T>;
}

/** What a worker's output causes, in the worker's own name. A tool its role may not use is stopped here, before the kernel sees it. */
export function onBehalf<T>(site: Site, { role, output, step, batch, returned = [], body }: WorkerCall<T>): Promise<Outcome<T>> {
  const tool = toolFor(role, output);
  return attempt(
    site,
    step,
    async (call) => {
      assertAllowed(site, role, tool);
      return body(call);
    },
    { returned, as: (_site, name) => workerCall(site, name, role, workerSession(site, role, batch)) },
  );
}

function assertAllowed({ shop }: Site, role: WorkerRole, tool: Tool): void {
  const allowed = rolesFor(shop.kernel.configuration.policy.rbac, tool);
  if (allowed.includes(role)) return;
  throw new SlipwayError("forbidden_tool_for_role", `${tool} is not open to the role "${role}"; the call was not made.`, {
    operation: tool,
    role,
    allowed_roles: allowed,
    stopped_by: "firewall",
    suggested_next_actions: ["slipway/policy.yaml, rbac, says who may call what."],
  });
}
