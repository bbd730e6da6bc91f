import { z } from "zod";
import { diffText } from "../../host/git/change.ts";
import { treeOf } from "../../host/git/fast-path/git-queries.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { headOf } from "../land/candidate.ts";
import { moveWorktree } from "./move.ts";
import { realign } from "../judge/qa-operations.ts";
import type { FeatureDependencies } from "./dependencies.ts";
import { findFeature, gateMap, updateFeature } from "./store.ts";

const restartInput = z.strictObject({ feature_id: z.string() });

export interface Restarted {
  readonly base: string;
  readonly tree: string;
  /** The feature's changes until now. Their bytes are anchored too. */
  readonly diff: string;
}

/** Resets the worktree to the current base, without the feature's changes, so that they can be built again. */
export function restartOperation(dependencies: FeatureDependencies): Operation<z.infer<typeof restartInput>, Restarted, Restarted> {
  const { repository, db } = dependencies;
  return {
    name: "feature.restart",
    roles: ["orchestrator", "system"],
    input: restartInput,
    async effect({ feature_id }, { operationId, at }) {
      const feature = await findFeature(db, feature_id);
      const base = await headOf(dependencies, feature.base_branch);
      const tree = await treeOf(repository, base);
      const diff = await diffText(repository, feature.base_commit, feature.tree);
      await moveWorktree(dependencies, feature, { base, tree }, operationId, at);
      return { base, tree, diff };
    },
    async commit(tx, { feature_id }, restarted, { at }) {
      const feature = await findFeature(tx, feature_id);
      const { plan = "na" } = gateMap(feature);
      const change = { base_commit: restarted.base, tree: restarted.tree, gates: JSON.stringify({ plan }) };
      await realign(tx, dependencies, await updateFeature(tx, feature, change, at), []);
      return restarted;
    },
    event: ({ feature_id }, { base, tree }) => ({ feature_id, base, tree }),
  };
}
