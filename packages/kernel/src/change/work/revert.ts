import { z } from "zod";
import { SlipwayError } from "../../schema/errors.ts";
import { anchorTree } from "../../host/git/anchor.ts";
import { applyTree } from "../../host/git/apply-tree.ts";
import { linesBetween } from "../../host/git/change.ts";
import { treeOf } from "../../host/git/fast-path/git-queries.ts";
import { nameOffence } from "../../host/git/patch-rules.ts";
import { ABSENT, reversed, type RawEntry } from "../../host/git/raw.ts";
import { restorePaths } from "../../host/git/restore-paths.ts";
import { taggedCommit } from "../../host/git/tag.ts";
import { declareWriting } from "../../host/git/worktree-writes.ts";
import { canonicalPath, visible } from "../../paths/paths.ts";
import type { Db, Tx } from "../../record/database/tables.ts";
import type { Operation } from "../../record/operations/operation.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { acceptedPlan, findFeature, gateMap, updateFeature, type Feature } from "../feature/store.ts";
import { hunksOf, type DiffHunk } from "../judge/qa/hunks.ts";
import { realign } from "../judge/qa-operations.ts";
import { checkChanges } from "../plan/changes.ts";
import { refusal } from "../plan/violation.ts";
import { locksInForce } from "../turn/lock-operations.ts";
import { reconcileWorktree } from "./reconcile-worktree.ts";
import { assertOpen } from "./repo-operations.ts";
import { tagName } from "./tag-base.ts";

const revertInput = z.strictObject({ feature_id: z.string(), files: z.array(z.string()).min(1).readonly(), tag: tagName });
export type RevertInput = z.infer<typeof revertInput>;

export interface RevertedFiles {
  readonly tree: string;
  /** Files with their content and mode at the tag again. */
  readonly restored: readonly string[];
  /** Files that did not exist at the tag. */
  readonly deleted: readonly string[];
  readonly unchanged: readonly string[];
}

interface Reverted {
  readonly from: string;
  readonly tree: string;
  readonly entries: readonly RawEntry[];
  readonly hunks: readonly DiffHunk[];
}

export interface RevertOperation {
  readonly operation: Operation<RevertInput, Reverted, RevertedFiles>;
  /** After a failure: removes changes that were written to the worktree but not recorded. */
  undo(): Promise<void>;
}

/** For one call: brings files back to their state at the tag on the feature's base, under the same guards as a patch. */
export function revertFilesOperation(dependencies: FeatureDependencies): RevertOperation {
  const { repository, layout, db, configuration, clock } = dependencies;
  let written: { readonly id: string; readonly step: string; readonly at: number } | null = null;

  const operation: RevertOperation["operation"] = {
    name: "repo.revert_files",
    roles: ["orchestrator", "system"],
    input: revertInput,
    async effect({ feature_id: id, files, tag }, { operationId: step, at }) {
      const feature = await findFeature(db, id);
      assertOpen(feature, "repo.revert_files");
      assertPlainPaths(files);
      await assertAtBase(feature, tag);
      await reconcileWorktree(dependencies, feature, step, at);
      const { tree: from, base_commit: base, worktree } = feature;
      const {
        tree,
        entries,
        folders,
        inTheWay,
        written: objects,
      } = await restorePaths(repository, from, await treeOf(repository, base), files);
      if (folders.length > 0) throw notFiles(folders);
      if (inTheWay.length > 0) throw blocked(inTheWay);
      await assertAllowed(db, id, entries);
      if (tree === from) return { from, tree, entries, hunks: [] };
      await declareWriting(repository, worktree, { from, to: tree, base });
      written = { id, step, at };
      await anchorTree(repository, worktree, tree, { run: feature.run_id, step, message: `${id}: revert`, at, written: objects });
      await applyTree(repository, worktree, from, tree, { indexFile: layout.indexFile(id) });
      return { from, tree, entries, hunks: hunksOf(await linesBetween(repository, base, tree)) };
    },
    async commit(tx, { feature_id, files }, { from, tree, entries, hunks }, { at }) {
      const feature = await findFeature(tx, feature_id);
      if (feature.tree !== from) throw moved(feature);
      // Plan and locks may have changed while the files were written.
      await assertAllowed(tx, feature_id, entries);
      if (tree !== from) {
        // Results belong to a tree: those of the previous tree do not apply to this one.
        const { plan = "na" } = gateMap(feature);
        const next = await updateFeature(tx, feature, { tree, gates: JSON.stringify({ plan }) }, at);
        await realign(tx, dependencies, next, hunks);
      }
      return reportOf(files, tree, entries);
    },
    event: ({ feature_id, tag }, { tree, restored, deleted }) => ({ feature_id, tag, tree, paths: [...restored, ...deleted] }),
  };
  return { operation, undo };

  async function assertAtBase({ id, base_commit }: Feature, tag: string): Promise<void> {
    const commit = await taggedCommit(repository, tag);
    if (commit === base_commit) return;
    const message = `The tag "${tag}" ${commit === null ? "does not exist" : `is at ${commit}`}, but "${id}" started from ${base_commit}.`;
    throw new SlipwayError("operation_conflict", `${message} Nothing was changed.`, {
      feature_id: id,
      tag,
      expected: base_commit,
      found: commit,
      suggested_next_actions: ["Name the tag that was made at the base of this feature."],
    });
  }

  /**
   * A file may be brought back if the plan allows the change that is undone. The limit on the files of one patch does not apply: several
   * patches may have made the change.
   */
  async function assertAllowed(on: Db | Tx, id: string, entries: readonly RawEntry[]): Promise<void> {
    const undone = entries.map(reversed);
    const all = checkChanges(undone, await acceptedPlan(on, id), configuration.policy, await locksInForce(on, id, clock.now()));
    const violations = all.filter(({ rule }) => rule !== "max_files");
    if (violations.length > 0) throw refusal("The revert", violations);
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

function reportOf(files: readonly string[], tree: string, entries: readonly RawEntry[]): RevertedFiles {
  const arrived = new Map(entries.map((entry) => [entry.path, entry.newMode]));
  const wanted = [...new Set(files)];
  return {
    tree,
    restored: wanted.filter((path) => arrived.has(path) && arrived.get(path) !== ABSENT),
    deleted: wanted.filter((path) => arrived.get(path) === ABSENT),
    unchanged: wanted.filter((path) => !arrived.has(path)),
  };
}

function assertPlainPaths(files: readonly string[]): void {
  for (const path of files) {
    const canonical = canonicalPath(path);
    if (canonical.ok && canonical.path === path && nameOffence(path) !== "path_out_of_bounds") continue;
    const reason = canonical.ok ? "is not written as git names it" : canonical.reason;
    throw new SlipwayError("path_out_of_bounds", `The file ${visible(path)} ${reason}. Nothing was changed.`, {
      field: "files",
      path: visible(path),
      suggested_next_actions: ["Name files relative to the repository's root, such as src/index.ts."],
    });
  }
}

function notFiles(folders: readonly string[]): SlipwayError {
  return new SlipwayError("input_path_not_found", `${folders.map(visible).join(", ")} is no file but a folder. Nothing was changed.`, {
    field: "files",
    paths: folders,
    requires_human: false,
    suggested_next_actions: ["Name each file."],
  });
}

function blocked(paths: readonly string[]): SlipwayError {
  const shown = paths.slice(0, 20).map(visible).join(", ");
  return new SlipwayError(
    "operation_conflict",
    `A file and a folder have the same name now and at the tag: ${shown}. Nothing was changed.`,
    {
      paths,
      suggested_next_actions: ["Name all files concerned in one call."],
    },
  );
}

function moved({ id, version }: Feature): SlipwayError {
  return new SlipwayError("version_conflict", `The files of "${id}" changed during the call.`, {
    feature_id: id,
    actual_version: version,
    suggested_next_actions: ["Read the files again and repeat the call."],
  });
}
