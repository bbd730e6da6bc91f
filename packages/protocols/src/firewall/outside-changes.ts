import type { Dropped } from "@slipway/agents/packs/changes";
import type { Refusal } from "@slipway/agents/provider";
import type { Failure } from "@slipway/durable/errors";
import { judgeAccess, type RoleGrant } from "./role-grant.ts";

const TOOL_OF = { created: "write", changed: "edit", removed: "delete" } as const;

/** Changes that were not adopted count as refused calls of the tool that makes them. */
export function droppedRefusals(dropped: readonly Dropped[]): Refusal[] {
  return dropped.map(({ path, what, reason }) => ({ tool: TOOL_OF[what], path, reason }));
}

/** In the details of a failure: why changes that the pack let through are outside the role's grant. */
export const OUTSIDE_GRANT = "outside_grant";

/** An answer that was refused for such changes counts as refused calls, too. */
export function grantRefusals({ details }: Failure): Refusal[] {
  const reasons = details[OUTSIDE_GRANT];
  return Array.isArray(reasons) ? reasons.map((reason) => ({ tool: "write", path: null, reason: String(reason) })) : [];
}

/** What of the changed paths the grant does not allow, with the reason. */
export function outsideChanges(changed: readonly string[], grant: RoleGrant): string[] {
  return changed.flatMap((path) => {
    const verdict = judgeAccess(grant, "write", path, () => null);
    return verdict.allowed ? [] : [verdict.reason];
  });
}
