import { SlipwayError } from "../../schema/errors.ts";
import { z } from "zod";
import { rolesFor } from "../../config/rbac.ts";
import { anchorTree } from "../../host/git/anchor.ts";
import { applyEntries, applyTree } from "../../host/git/apply-tree.ts";
import { porcelain } from "../../host/git/change.ts";
import { NO_LINES, type LineDiff } from "../../host/git/line-diff.ts";
import { judgePatch, type JudgedPatch } from "../../host/git/patch.ts";
import { treeOf } from "../../host/git/fast-path/git-queries.ts";
import { declareWriting } from "../../host/git/worktree-writes.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { checkChanges } from "../plan/changes.ts";
import { refusal } from "../plan/violation.ts";
import { hunksOf, type DiffHunk } from "../judge/qa/hunks.ts";
import type { Db, Tx } from "../../record/database/tables.ts";
import { locksInForce } from "../turn/lock-operations.ts";
import { realign } from "../judge/qa-operations.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { reconcileWorktree, pathsIfReconciled } from "./reconcile-worktree.ts";
import { ENDED } from "../feature/status.ts";
import { acceptedPlan, findFeature, gateMap, updateFeature, type Feature } from "../feature/store.ts";

const patchInput = z.strictObject({ feature_id: z.string(), unified_diff: z.string() });
type PatchInput = z.infer<typeof patchInput>;

export interface AppliedPatch {
  readonly tree: string;
  /** The feature as a whole no longer changes anything. */
  readonly empty: boolean;
  readonly anchor: string;
  readonly changed: readonly { readonly path: string; readonly status: string }[];
  readonly flags: JudgedPatch["flags"];
  /** Output of `git status --porcelain --untracked-files=all` in the worktree. */
  readonly porcelain: string;
  readonly qa_index_version: number;
}

interface WrittenPatch {
  readonly from: string;
  readonly judged: JudgedPatch & { readonly lines: LineDiff };
  readonly hunks: readonly DiffHunk[];
  readonly anchor: string;
}

export interface PatchOperation {
  readonly operation: Operation<PatchInput, WrittenPatch, AppliedPatch>;
  /** After a failure: removes changes that were written to the worktree but not recorded. */
  undo(): Promise<void>;
}

/** For one call: git applies the patch to a private index; the result is checked against the plan, written as a whole and anchored. */
export function applyPatchOperation(dependencies: FeatureDependencies): PatchOperation {
  const { repository, layout, db, configuration, clock } = dependencies;
  const { policy } = configuration;
  let written: { readonly id: string; readonly step: string; readonly at: number } | null = null;

  const operation: PatchOperation["operation"] = {
    name: "repo.apply_patch",
    roles: rolesFor(policy.rbac, "repo.apply_patch"),
    input: patchInput,
    async effect({ feature_id: id, unified_diff }, { operationId: step, at }) {
      const feature = await findFeature(db, id);
      assertOpen(feature);
      await assertAllowed(db, id, { changes: [], copied: [] });
      await reconcileWorktree(dependencies, feature, step, at);
      const paths = await pathsIfReconciled(dependencies, feature);
      const judged = await judge(feature, Buffer.from(unified_diff), paths);
      await assertAllowed(db, id, judged);
      await declareWriting(repository, feature.worktree, { from: feature.tree, to: judged.tree, base: feature.base_commit });
      written = { id, step, at };
      const [, { ref }] = await settleBoth(
        writeFiles(feature, judged, paths !== null),
        anchorTree(repository, feature.worktree, judged.tree, {
          run: feature.run_id,
          step,
          message: `${id}: patch`,
          at,
          written: judged.written,
        }),
      );
      return { from: feature.tree, judged, hunks: hunksOf(judged.lines), anchor: ref };
    },
    async commit(tx, { feature_id }, { from, judged, hunks, anchor }, { at }) {
      const feature = await findFeature(tx, feature_id);
      if (feature.tree !== from) throw moved(feature);
      // Plan and locks may have changed while the files were written: fence a stale holder.
      await assertAllowed(tx, feature_id, judged);
      // Results belong to a tree: those of the previous tree do not apply to this one.
      const { plan = "na" } = gateMap(feature);
      const next = await updateFeature(tx, feature, { tree: judged.tree, gates: JSON.stringify({ plan }) }, at);
      const { version } = await realign(tx, dependencies, next, hunks);
      return {
        tree: judged.tree,
        empty: judged.lines.entries.length === 0,
        anchor,
        changed: judged.changes.map(({ path, status }) => ({ path, status })),
        flags: judged.flags,
        porcelain: porcelain(judged.lines.entries),
        qa_index_version: version,
      };
    },
    event: ({ feature_id }, { tree, anchor: ref, changed }) => ({ feature_id, tree, anchor: ref, paths: changed.map(({ path }) => path) }),
  };
  return { operation, undo };

  async function judge(feature: Feature, patch: Buffer, paths: readonly string[] | null): Promise<WrittenPatch["judged"]> {
    const { max_bytes, max_files } = policy.patch_policy;
    const judged = await judgePatch(repository, {
      baseTree: feature.tree,
      patch,
      limits: { maxBytes: max_bytes, maxFiles: max_files },
      known: paths === null ? undefined : { worktree: feature.worktree, indexFile: layout.indexFile(feature.id), paths },
      against: await treeOf(repository, feature.base_commit),
    });
    return { ...judged, lines: judged.lines ?? NO_LINES };
  }

  async function assertAllowed(on: Db | Tx, id: string, { changes, copied }: Pick<JudgedPatch, "changes" | "copied">): Promise<void> {
    const violations = checkChanges(changes, await acceptedPlan(on, id), policy, await locksInForce(on, id, clock.now()), copied);
    if (violations.length > 0) throw refusal("The patch", violations);
  }

  async function writeFiles({ id, worktree, tree: from }: Feature, judged: JudgedPatch, isKnown: boolean): Promise<void> {
    const options = { indexFile: layout.indexFile(id) };
    const { tree, changes } = judged;
    if (isKnown) await applyEntries(repository, worktree, changes, options, judged);
    else if (from !== tree) await applyTree(repository, worktree, from, tree, options);
  }

  async function undo(): Promise<void> {
    if (written === null) return;
    const { id, step, at } = written;
    // The call has already failed. If this fails too, the next operation on the feature repeats it.
    await findFeature(db, id)
      .then((feature) => reconcileWorktree(dependencies, feature, `${step}/undone`, at))
      .catch(() => undefined);
  }
}

/** Waits for both, also if one of them fails, so that no work continues after the caller has returned. */
async function settleBoth<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return Promise.all([first, second]);
}

function assertOpen({ id, status }: Feature): void {
  if (!ENDED.includes(status)) return;
  throw new SlipwayError("invalid_status_transition", `"${id}" is ${status}: an ended feature cannot be changed.`, {
    feature_id: id,
    from: status,
    suggested_next_actions: ["Start a new feature for a further change."],
  });
}

function moved({ id, version }: Feature): SlipwayError {
  return new SlipwayError("version_conflict", `The files of "${id}" changed during the call.`, {
    feature_id: id,
    actual_version: version,
    suggested_next_actions: ["Read the files again and repeat the call."],
  });
}
