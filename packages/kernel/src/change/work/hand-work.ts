import { z } from "zod";
import { recordCheck } from "../judge/evidence/checks.ts";
import { keepCommit } from "../../host/git/anchor.ts";
import { linesBetween } from "../../host/git/change.ts";
import { anchorFound, isByHand, treeByHand, type CommitByHand, type WorktreeDifference } from "../../host/git/hand-work.ts";
import { keepOnBranch } from "../../host/git/kept-branch.ts";
import { treeOf } from "../../host/git/fast-path/git-queries.ts";
import { bringFiles } from "../../host/git/snapshot.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { hunksOf, type DiffHunk } from "../judge/qa/hunks.ts";
import { realign } from "../judge/qa-operations.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { inspectWorktree, resetBranch, resetWorktree, recordedOf, unstage } from "./reconcile-worktree.ts";
import { findFeature, gateMap, updateFeature, type Feature } from "../feature/store.ts";

const handWorkInput = z.strictObject({ feature_id: z.string() });
type HandWorkInput = z.infer<typeof handWorkInput>;

const ROLES = ["orchestrator", "system", "person"] as const;

/** Kind of the row that records a person's edits. */
const BY_HAND = "by_hand";

export interface Adopted {
  /** Null if no edits were left. */
  readonly tree: string | null;
  readonly files: readonly string[];
  readonly commits: readonly CommitByHand[];
  /** Branches that keep the person's own commits. Only their content becomes part of the change. */
  readonly kept_branches: readonly string[];
}

type Taken = Adopted & { readonly hunks: readonly DiffHunk[] };

/** Makes a person's edits and commits the feature's tree. Earlier gate results do not apply to it. */
export function adoptOperation(dependencies: FeatureDependencies): Operation<HandWorkInput, Taken, Adopted> {
  const { repository, layout, db } = dependencies;
  return {
    name: "feature.adopt",
    roles: ROLES,
    input: handWorkInput,
    async effect({ feature_id }, { operationId, at }) {
      const feature = await findFeature(db, feature_id);
      const difference = await inspectWorktree(dependencies, feature, operationId);
      if (!isByHand(difference)) return { tree: null, files: [], commits: [], kept_branches: [], hunks: [] };
      const { id, worktree, base_commit } = feature;
      const tree = await treeByHand(repository, difference);
      await anchorFound(repository, recordedOf(feature), { ...difference, tree }, anchorAs(feature, "adopted", operationId, at));
      await bringFiles(repository, worktree, { from: difference.tree, to: tree }, { indexFile: layout.indexFile(id) });
      const kept_branches = await keepHeads(dependencies, feature, difference, operationId);
      await resetBranch(dependencies, feature, base_commit);
      const hunks = hunksOf(await linesBetween(repository, base_commit, tree));
      return { tree, files: difference.edits.map(({ path }) => path), commits: difference.commits, kept_branches, hunks };
    },
    async commit(tx, { feature_id }, { hunks, ...adopted }, { at, operationId: id }) {
      const { tree, files, commits } = adopted;
      if (tree === null) return adopted;
      const feature = await findFeature(tx, feature_id);
      const { plan = "na" } = gateMap(feature);
      const next = await updateFeature(tx, feature, { tree, gates: JSON.stringify({ plan }) }, at);
      await realign(tx, dependencies, next, hunks);
      const check = { id, name: "edited by hand", kind: BY_HAND, status: "pass", exit_code: null, log_digest: null } as const;
      const counts = { files: [...files], commits: commits.map((commit) => ({ ...commit })) };
      await recordCheck(tx, { ...check, run_id: feature.run_id, feature_id, tree, at, counts });
      return adopted;
    },
    event: ({ feature_id }, { tree, files, commits, kept_branches }) => ({
      feature_id,
      tree,
      files: [...files],
      commits: commits.map(({ commit }) => commit),
      kept_branches: [...kept_branches],
    }),
  };
}

export interface SetAside {
  /** Null if no edits were left. */
  readonly branch: string | null;
  readonly commit: string | null;
}

/** Moves a person's edits and commits to a kept branch, and resets worktree and branch to the record. */
export function setAsideOperation(dependencies: FeatureDependencies): Operation<HandWorkInput, SetAside, SetAside> {
  const { repository, db } = dependencies;
  return {
    name: "feature.set_aside",
    roles: ROLES,
    input: handWorkInput,
    async effect({ feature_id }, { operationId, at }) {
      const feature = await findFeature(db, feature_id);
      const difference = await inspectWorktree(dependencies, feature, operationId);
      if (!isByHand(difference)) return { branch: null, commit: null };
      const anchored = await anchorFound(repository, recordedOf(feature), difference, anchorAs(feature, "set aside", operationId, at));
      const commit = (await onlyCommitted(dependencies, difference)) ?? anchored.commit;
      const branch = await keepOnBranch(repository, feature_id, commit);
      await resetWorktree(dependencies, feature, difference, operationId, at);
      await unstage(repository, feature.branch, feature.worktree);
      return { branch, commit };
    },
    commit: async (_tx, _input, setAside) => setAside,
    event: ({ feature_id }, { branch, commit }) => ({ feature_id, branch, commit }),
  };
}

/** The person's own commit, if it contains all of their edits. */
async function onlyCommitted({ repository }: FeatureDependencies, { heads, tree }: WorktreeDifference): Promise<string | null> {
  const [head, ...others] = heads;
  return head !== undefined && others.length === 0 && (await treeOf(repository, head)) === tree ? head : null;
}

/** Records the commits as known, so that the branch may be moved. Kept branches preserve messages, authors and earlier versions. */
async function keepHeads(
  { repository }: FeatureDependencies,
  { id, run_id: run }: Feature,
  { heads, commits }: WorktreeDifference,
  step: string,
): Promise<string[]> {
  for (const [index, head] of heads.entries()) await keepCommit(repository, { run, step: `${step}/head-${index + 1}` }, head);
  const branches: string[] = [];
  if (commits.length > 0) for (const head of heads) branches.push(await keepOnBranch(repository, id, head));
  return branches;
}

function anchorAs({ id, run_id: run }: Feature, what: string, step: string, at: number) {
  return { run, step: `${step}/by-hand`, message: `${id}: a person's work, ${what}`, at };
}
