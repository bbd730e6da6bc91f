import { SlipwayError } from "../schema/errors.ts";
import { ACTOR_ROLES, rolesFor, type ActorRole, type Tool } from "../config/rbac.ts";
import type { Policy } from "../config/policy.ts";
import type { AnyTool } from "./tool.ts";

/** The caller as the server knows it: from a signed token, or from the person who started the process. Never from the call. */
export interface Credential {
  readonly role: ActorRole;
  /** Null if the person who started the server leaves the name to the caller. */
  readonly actorId: string | null;
  /** The only feature this caller may touch; null for any. */
  readonly feature: string | null;
}

/** The role and names in a call must agree with the credential; they never extend it. */
export function assertAgrees(credential: Credential, tool: Tool, args: Readonly<Record<string, unknown>>): void {
  const { role, actorId, feature } = credential;
  const { actor_type: type, actor_id: id } = args;
  // A value that is not a role is left to the input schema.
  if (ACTOR_ROLES.some((known) => known === type) && type !== role) throw disagrees(tool, role, "actor_type", type, role);
  if (actorId !== null && typeof id === "string" && id !== actorId) throw disagrees(tool, role, "actor_id", id, actorId);
  const other = feature === null ? undefined : featuresNamed(args).find((named) => named !== feature);
  if (other !== undefined) throw disagrees(tool, role, "feature_id", other, feature);
}

/** Deny by default: a role may only call what the policy grants. */
export function assertGranted(policy: Pick<Policy, "rbac">, { role }: Credential, definition: Pick<AnyTool, "name" | "roles">): void {
  const tool = definition.name;
  const allowed = definition.roles ?? rolesFor(policy.rbac, tool);
  if (allowed.includes(role)) return;
  throw new SlipwayError("forbidden_tool_for_role", `${tool} is not open to the role "${role}".`, {
    tool,
    role,
    allowed_roles: allowed,
    suggested_next_actions: [`Ask one of these roles: ${allowed.join(", ")}, or ask a person to widen policy.rbac.`],
  });
}

/** Every field in the catalog's inputs that names a feature. */
function featuresNamed({ feature_id, plan_json: plan }: Readonly<Record<string, unknown>>): unknown[] {
  const planned = typeof plan === "object" && plan !== null && "feature_id" in plan ? [plan.feature_id] : [];
  return [feature_id, ...planned].filter((named) => named !== undefined);
}

function disagrees(tool: Tool, role: ActorRole, field: string, claimed: unknown, granted: string | null): SlipwayError {
  return new SlipwayError(
    "forbidden_tool_for_role",
    `${tool}: the call says ${field} ${JSON.stringify(claimed)}; the credential says ${JSON.stringify(granted)}.`,
    {
      tool,
      role,
      field: `/${field}`,
      suggested_next_actions: [
        `Call again with ${field} ${JSON.stringify(granted)}, or with a credential made for ${JSON.stringify(claimed)}.`,
      ],
    },
  );
}
