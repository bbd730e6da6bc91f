import { judgePatch } from "../../host/git/patch.ts";
import { treeOf } from "../../host/git/fast-path/git-queries.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { findFeature } from "../feature/store.ts";
import type { Plan } from "../plan/schema.ts";

const LIST_OF = { A: "create", M: "modify", T: "modify", D: "delete" } as const;

/** The lists of a plan that a patch on the feature's current files needs: what it touches, compared with the base. */
export async function patchTargets(
  { db, repository, configuration: { policy } }: Pick<FeatureDependencies, "db" | "repository" | "configuration">,
  id: string,
  unified_diff: string,
): Promise<Plan["files"]> {
  const feature = await findFeature(db, id);
  const { max_bytes, max_files } = policy.patch_policy;
  const { changes, lines } = await judgePatch(repository, {
    baseTree: feature.tree,
    patch: Buffer.from(unified_diff),
    limits: { maxBytes: max_bytes, maxFiles: max_files },
    against: await treeOf(repository, feature.base_commit),
  });
  const touched = new Set(changes.map(({ path }) => path));
  const files: Record<keyof Plan["files"], string[]> = { create: [], modify: [], delete: [] };
  for (const { path, status } of lines?.entries ?? []) if (touched.has(path)) files[LIST_OF[status]].push(path);
  return files;
}
