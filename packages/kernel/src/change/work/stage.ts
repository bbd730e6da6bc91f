import { z } from "zod";
import { changeBetween } from "../../host/git/change.ts";
import { stageIndex } from "../../host/git/stage-index.ts";
import type { Operation } from "../../record/operations/operation.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { findFeature } from "../feature/store.ts";
import { reconcileWorktree } from "./reconcile-worktree.ts";
import { assertOpen } from "./repo-operations.ts";

const stageInput = z.strictObject({ feature_id: z.string() });

export interface StagedChange {
  readonly tree: string;
  /** What `git diff --staged --no-renames` lists in the worktree: A added, M modified, D deleted, T another kind of file. */
  readonly files: readonly { readonly path: string; readonly status: string }[];
}

/** Stages the recorded tree, and nothing else, in the worktree's own index. */
export function stageOperation(dependencies: FeatureDependencies): Operation<z.infer<typeof stageInput>, StagedChange, StagedChange> {
  const { db, repository } = dependencies;
  return {
    name: "repo.stage",
    roles: ["orchestrator", "system"],
    input: stageInput,
    async effect({ feature_id }, { operationId, at }) {
      const feature = await findFeature(db, feature_id);
      assertOpen(feature, "repo.stage");
      await reconcileWorktree(dependencies, feature, operationId, at);
      const { worktree, tree, base_commit } = feature;
      await stageIndex(repository, worktree, tree);
      const { entries } = await changeBetween(repository, base_commit, tree);
      return { tree, files: entries.map(({ path, status }) => ({ path, status })) };
    },
    commit: async (_tx, _input, staged) => staged,
    event: ({ feature_id }, { tree, files }) => ({ feature_id, tree, paths: files.map(({ path }) => path) }),
  };
}
