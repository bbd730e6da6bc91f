import { z } from "zod";
import { changeBetween } from "../git/change.ts";
import { anchor } from "../git/snapshot.ts";
import { applyTree, judgePatch, type JudgedPatch } from "../git/patch.ts";
import type { Operation } from "../operations/operation.ts";
import { checkChanges } from "../plans/check.ts";
import { refusal } from "../plans/violation.ts";
import { locksInForce } from "./locks.ts";
import type { Rooms } from "./rooms.ts";
import { settle } from "./settle.ts";
import { acceptedPlan, findFeature, gateMap, updateFeature } from "./store.ts";

const patchInput = z.strictObject({ feature_id: z.string(), unified_diff: z.string() });

export interface AppliedPatch {
  readonly tree: string;
  /** The feature as a whole changes nothing any more. */
  readonly empty: boolean;
  readonly anchor: string;
  readonly changed: readonly { readonly path: string; readonly status: string }[];
  readonly flags: JudgedPatch["flags"];
}

/** Judged by git on a private index, checked against the plan, applied whole, anchored. */
export function applyPatchOperation(rooms: Rooms): Operation<z.infer<typeof patchInput>, AppliedPatch, AppliedPatch> {
  const { repository, layout, db, configuration } = rooms;
  return {
    name: "repo.apply_patch",
    roles: ["builder", "qa", "system"],
    input: patchInput,
    async effect({ feature_id: id, unified_diff }, { operationId, at }) {
      const feature = await findFeature(db, id);
      const plan = await acceptedPlan(db, id);
      const { max_bytes, max_files } = configuration.policy.patch_policy;
      const judged = await judgePatch(repository, {
        baseTree: feature.tree,
        patch: Buffer.from(unified_diff),
        limits: { maxBytes: max_bytes, maxFiles: max_files },
      });
      const violations = checkChanges(judged.changes, plan, configuration.policy, await locksInForce(db, id, at));
      if (violations.length > 0) throw refusal("The patch", violations);
      const indexFile = layout.indexFile(id);
      // After a crash between applying and recording, the files are already there.
      const found = await settle(rooms, feature, operationId, at, judged.tree);
      if (found !== judged.tree) await applyTree(repository, feature.worktree, found, judged.tree, { indexFile });
      const { ref } = await anchor(repository, feature.worktree, {
        run: feature.run_id,
        step: operationId,
        message: `${id}: patch`,
        at,
        indexFile,
      });
      const empty = (await changeBetween(repository, feature.base_commit, judged.tree)).entries.length === 0;
      return {
        tree: judged.tree,
        empty,
        anchor: ref,
        changed: judged.changes.map(({ path, status }) => ({ path, status })),
        flags: judged.flags,
      };
    },
    async commit(tx, { feature_id }, applied, { at }) {
      const feature = await findFeature(tx, feature_id);
      // Results belong to a tree: what passed on the last one says nothing about this one.
      const { plan = "na" } = gateMap(feature);
      await updateFeature(tx, feature, { tree: applied.tree, gates: JSON.stringify({ plan }) }, at);
      return applied;
    },
    event: ({ feature_id }, { tree, anchor: ref, changed }) => ({ feature_id, tree, anchor: ref, paths: changed.map(({ path }) => path) }),
  };
}
