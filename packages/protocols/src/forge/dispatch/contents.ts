import type { z } from "zod";
import type { Workspace } from "../../dispatch/workspace.ts";
import { grantedWorkspace } from "../../firewall/granted-workspace.ts";
import type { RoleGrant } from "../../firewall/role-grant.ts";
import type { PlayedForgeRole } from "../agents.ts";
import type { ForgeRun } from "../forge-run.ts";

/** What a dispatch returns: the answer, and the diff of the files that the agent was allowed to change. */
export interface Worked<A> {
  readonly answer: A;
  readonly diff: string;
  readonly changed: readonly string[];
}

/** The repository's files as the change has them now: the role reads all of them and changes exactly the writable ones. */
export async function repositoryWorkspace<A>(
  { change, id }: ForgeRun,
  role: PlayedForgeRole,
  schema: z.ZodType<A>,
  writable: readonly string[],
): Promise<Workspace<Worked<A>>> {
  const { kernel } = change.services;
  const { tree } = await kernel.features.context(id);
  const grant: RoleGrant = { role, mayRead: () => true, mayWrite: (path) => writable.includes(path), outputs: [] };
  return grantedWorkspace<A, Worked<A>>(kernel.repository, {
    tree,
    grant,
    unlisted: "read",
    creatable: writable,
    outputSchema: schema,
    adopt: (answer, { diff, changed }) => ({ ok: true, value: { answer, diff, changed } }),
  });
}
