import { SlipwayError } from "@slipway/agents/errors";
import type { ErrorCode } from "@slipway/durable/errors";
import type { StepName } from "@slipway/durable/step-name";
import { rolesFor, type Tool } from "@slipway/kernel/config/rbac";
import type { Call } from "@slipway/kernel/record/operations/call";
import { perform } from "./perform.ts";
import { toolFor, type Routed, type WorkerRole } from "./worker-role.ts";
import { workerCall, workerSession, type OperationResult, type ChangeRun } from "./change-run.ts";

export interface WorkerCall<T> {
  readonly role: WorkerRole;
  readonly output: Routed;
  readonly step: string | StepName<OperationResult<T>>;
  readonly batch?: string;
  readonly returned?: readonly ErrorCode[];
  readonly body: (call: Call) => Promise<T>;
}

/** Performs the tool call that a worker's output asks for, as that worker. Refuses tools that the policy does not grant to its role. */
export function performAs<T>(
  change: ChangeRun,
  { role, output, step, batch, returned = [], body }: WorkerCall<T>,
): Promise<OperationResult<T>> {
  const tool = toolFor(role, output);
  return perform(
    change,
    step,
    async (call) => {
      assertAllowed(change, role, tool);
      return body(call);
    },
    { returned, as: (_change, name) => workerCall(change, name, role, workerSession(change, role, batch)) },
  );
}

function assertAllowed({ services }: ChangeRun, role: WorkerRole, tool: Tool): void {
  const allowed = rolesFor(services.kernel.configuration.policy.rbac, tool);
  if (allowed.includes(role)) return;
  throw new SlipwayError("forbidden_tool_for_role", `${tool} is not open to the role "${role}"; the call was not made.`, {
    operation: tool,
    role,
    allowed_roles: allowed,
    stopped_by: "firewall",
    suggested_next_actions: ["`rbac` in slipway/policy.yaml lists the roles that may call each tool."],
  });
}
