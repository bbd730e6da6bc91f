import type { PackChanges } from "@slipway/agents/packs/changes";
import { givenFiles, listTree } from "@slipway/agents/packs/source";
import { SlipwayError } from "@slipway/agents/errors";
import { toFailure } from "@slipway/durable/errors";
import type { Repository } from "@slipway/kernel/host/git/repository";
import type { PackRule } from "@slipway/kernel/host/file-views/rules";
import type { z } from "zod";
import type { Reply } from "../dispatch/dispatcher.ts";
import { workspaceOf, type Workspace } from "../dispatch/workspace.ts";
import { CONFIGURATION, PROJECTIONS } from "./judged-path.ts";
import { OUTSIDE_GRANT, outsideChanges } from "./outside-changes.ts";
import { packRulesOf } from "./pack-rules.ts";
import type { Access, RoleGrant } from "./role-grant.ts";

export interface GrantedWork<O, T> {
  /** The tree of the change as it is now. */
  readonly tree: string;
  readonly grant: RoleGrant;
  /** The share of paths that are not in the tree. */
  readonly unlisted: Access;
  /** Files that may be created. */
  readonly creatable?: readonly string[];
  /** Files beside the tree's, by their path. */
  readonly given?: Readonly<Record<string, string>>;
  /** For folders in which files of any name may be created. */
  readonly moreRules?: readonly PackRule[];
  /** The changes under the names by which the grant judges them. */
  readonly named?: (changes: PackChanges) => PackChanges;
  readonly outputSchema: z.ZodType<O>;
  readonly adopt: (output: O, changes: PackChanges) => Reply<T>;
}

/**
 * The files of a change as one dispatch of a role may see and change them, without Slipway's own. The rules of the pack drop what they do
 * not allow; what they let through is judged again by the grant, and an answer with anything outside it does not count.
 */
export async function grantedWorkspace<O, T>(repository: Repository, work: GrantedWork<O, T>): Promise<Workspace<T>> {
  const { tree, grant, unlisted, creatable = [], given = {}, moreRules = [], named = (changes) => changes, outputSchema, adopt } = work;
  const { objectFormat } = repository;
  const listing = await listTree(repository, tree);
  const files = [...listing.files.filter(({ path }) => !isHarness(path)), ...givenFiles(given, objectFormat)];
  const paths = [...new Set([...files.map(({ path }) => path), ...creatable])];
  return workspaceOf<O, T>({
    contents: { files, others: listing.others, tree, rules: [...packRulesOf(grant, paths, unlisted), ...moreRules], objectFormat },
    outputSchema,
    adopt: (output, made) => {
      const changes = named(made);
      const outside = outsideChanges(changes.changed, grant);
      return outside.length === 0 ? adopt(output, changes) : { ok: false, failure: refusedAnswer(grant.role, outside) };
    },
  });
}

function isHarness(path: string): boolean {
  return [CONFIGURATION, PROJECTIONS].some((folder) => path === folder || path.startsWith(`${folder}/`));
}

function refusedAnswer(role: string, outside: readonly string[]) {
  return toFailure(
    new SlipwayError("agent_output_invalid", `The answer of the ${role} changes what it may not change: ${outside.join("; ")}`, {
      role,
      errors: outside,
      [OUTSIDE_GRANT]: outside,
      suggested_next_actions: ["Read the transcript of the call; a stronger model may help."],
    }),
  );
}
