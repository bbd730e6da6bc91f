import { SlipwayError } from "@slipway/agents/errors";
import type { PackChanges } from "@slipway/agents/packs/changes";
import { toFailure, type Failure } from "@slipway/durable/errors";
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

export interface RepositoryWork<A> {
  readonly role: PlayedForgeRole;
  readonly schema: z.ZodType<A>;
  readonly writable: readonly string[];
  /** What is wrong with the answer when it is compared with the files that differ. */
  readonly problems: (answer: A, changes: PackChanges) => readonly string[];
}

/** The repository's files as the change has them now: the role reads all of them and changes exactly the writable ones. */
export async function repositoryWorkspace<A>(
  { change, id }: ForgeRun,
  { role, schema, writable, problems }: RepositoryWork<A>,
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
    adopt: (answer, changes) => {
      const wrong = problems(answer, changes);
      const { diff, changed } = changes;
      return wrong.length === 0 ? { ok: true, value: { answer, diff, changed } } : { ok: false, failure: invalidAnswer(role, wrong) };
    },
  });
}

function invalidAnswer(role: PlayedForgeRole, errors: readonly string[]): Failure {
  const message = `The answer of the ${role} contradicts its files: ${errors.join("; ")}`;
  const suggested_next_actions = ["Read the transcript of the call; a stronger model may help."];
  return toFailure(new SlipwayError("agent_output_invalid", message, { role, errors, suggested_next_actions }));
}
