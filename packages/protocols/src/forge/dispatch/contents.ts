import { listTree } from "@slipway/agents/packs/source";
import type { PackChanges } from "@slipway/agents/packs/changes";
import type { PackRule } from "@slipway/kernel/host/file-views/rules";
import type { z } from "zod";
import { workspaceOf, type Workspace } from "../../dispatch/workspace.ts";
import type { ForgeRun } from "../forge-run.ts";

/** What a dispatch returns: the answer, and the diff of the files that the agent was allowed to change. */
export interface Worked<A> {
  readonly answer: A;
  readonly diff: string;
  readonly changed: readonly string[];
}

/** The repository's files as the change has them now. Slipway's own configuration is not part of the work. */
export async function repositoryWorkspace<A>(
  { change, id }: ForgeRun,
  schema: z.ZodType<A>,
  writable: readonly string[],
): Promise<Workspace<Worked<A>>> {
  const { kernel } = change.services;
  const { tree } = await kernel.features.context(id);
  const listing = await listTree(kernel.repository, tree);
  const rules: PackRule[] = [
    { path: ".", level: "FULL", permission: "read", reason: "the files of this change" },
    { path: "slipway", level: null, sealed: false, reason: "Slipway's configuration is not part of the work" },
    ...writable.map((path): PackRule => ({ path, level: "FULL", permission: "write", reason: "named by the task" })),
  ];
  return workspaceOf<A, Worked<A>>({
    contents: { ...listing, tree, rules, objectFormat: kernel.repository.objectFormat },
    outputSchema: schema,
    adopt: (answer, { diff, changed }: PackChanges) => ({ ok: true, value: { answer, diff, changed } }),
  });
}
