import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Insertable } from "kysely";
import { z } from "zod";
import { rolesFor } from "../../config/rbac.ts";
import { nodeFileSystem } from "../../host/files/file-system.ts";
import { writeFileAtomic } from "../../host/files/write-atomic.ts";
import { treeOf } from "../../host/git/fast-path/git-queries.ts";
import { ensureWorktree } from "../../host/git/worktree.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { FEATURE_ID_PATTERN } from "../plan/schema.ts";
import { readCanonicalSpec } from "../plan/specs/discover.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { featureIfAny, findFeature, type Feature } from "../feature/store.ts";
import type { FeaturesTables } from "../feature/tables.ts";
import { prepareWorktreeRoot, worktreeOf } from "./worktree-root.ts";

const initInput = z.strictObject({
  feature_id: z.string().regex(FEATURE_ID_PATTERN),
  run_id: z.string(),
  spec_source: z.string(),
  spec_digest: z.string(),
});

/** Creates folder, branch and worktree, then the row. Repeating it changes nothing except that missing parts are restored as recorded. */
export function initOperation(
  dependencies: FeatureDependencies,
): Operation<z.infer<typeof initInput>, { base: string; tree: string }, Feature> {
  const { repository, configuration, db } = dependencies;
  const baseBranch = configuration.policy.worktree.base_branch;
  return {
    name: "feature.init",
    roles: rolesFor(configuration.policy.rbac, "feature.init"),
    input: initInput,
    async effect({ feature_id: id, spec_digest }) {
      const known = await featureIfAny(db, id);
      await prepareWorktreeRoot(dependencies);
      await createFolder(dependencies, id, known?.spec_digest ?? spec_digest, known !== undefined);
      const { baseCommit } = await ensureWorktree(repository, {
        featureId: id,
        branch: id,
        baseRef: `refs/heads/${baseBranch}`,
        path: known?.worktree ?? worktreeOf(dependencies, id),
        protectedBranches: [baseBranch],
        ...(known === undefined ? {} : { expectedTree: known.tree }),
      });
      return { base: baseCommit, tree: await treeOf(repository, baseCommit) };
    },
    async commit(tx, { feature_id: id, run_id, spec_source, spec_digest }, { base, tree }, { at }) {
      const row: Insertable<FeaturesTables["features"]> = {
        id,
        run_id,
        status: "planning",
        status_reason: "",
        version: 1,
        branch: id,
        worktree: worktreeOf(dependencies, id),
        base_branch: baseBranch,
        base_commit: base,
        tree: tree.trim(),
        spec_source,
        spec_digest,
        gate_profile: "default",
        gates: "{}",
        created_at: at,
        updated_at: at,
      };
      await tx
        .insertInto("features")
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      return findFeature(tx, id);
    },
    event: ({ feature_id }, { base_commit }) => ({ feature_id, base_commit }),
  };
}

/** Creates the feature's folder with its specification. */
export async function createFolder({ layout, objects }: FeatureDependencies, id: string, specDigest: string, keep: boolean): Promise<void> {
  for (const folder of ["logs", "evidence"]) await mkdir(join(layout.feature(id), folder), { recursive: true });
  await writeSpec(join(layout.feature(id), "spec.md"), await objects.get(specDigest), keep);
}

/** A specification read from this path is not overwritten with itself, and an existing feature keeps its file. */
async function writeSpec(path: string, bytes: Uint8Array, keep: boolean): Promise<void> {
  const present = await readFile(path).catch(() => null);
  if (present === null || (!keep && !present.equals(bytes))) await writeFileAtomic(nodeFileSystem, path, bytes);
}

/** For a call that names only the feature: uses the specification in its folder, and no run. */
export async function canonicalInit({ layout, objects, db }: FeatureDependencies, id: string): Promise<z.infer<typeof initInput>> {
  const known = await featureIfAny(db, id);
  if (known !== undefined) return { feature_id: id, run_id: known.run_id, spec_source: known.spec_source, spec_digest: known.spec_digest };
  const { path, bytes } = await readCanonicalSpec(layout, id);
  return { feature_id: id, run_id: NO_RUN, spec_source: path, spec_digest: await objects.put(bytes) };
}

const NO_RUN = "mcp";
