import { z } from "zod";
import { recordCheck } from "../judge/evidence/checks.ts";
import { keepCommit } from "../../host/git/anchor.ts";
import { linesBetween } from "../../host/git/change.ts";
import { anchorFound, isByHand, treeByHand, type CommitByHand, type Found } from "../../host/git/hand-work.ts";
import { keepOnBranch } from "../../host/git/kept-branch.ts";
import { treeOf } from "../../host/git/fast-path/git-queries.ts";
import { bringFiles } from "../../host/git/snapshot.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { hunksOf, type DiffHunk } from "../judge/qa/hunks.ts";
import { realign } from "../judge/qa-operations.ts";
import type { Rooms } from "../feature/dependencies.ts";
import { look, putBranchBack, putRight, recordedOf, unstage } from "./settle.ts";
import { findFeature, gateMap, updateFeature, type Feature } from "../feature/store.ts";

const handWorkInput = z.strictObject({ feature_id: z.string() });
type HandWorkInput = z.infer<typeof handWorkInput>;

const ROLES = ["orchestrator", "system", "person"] as const;

/** Kind of the row that says what a person has changed by hand. */
const BY_HAND = "by_hand";

export interface Adopted {
  /** Null when nothing of a person's was there any more. */
  readonly tree: string | null;
  readonly files: readonly string[];
  readonly commits: readonly CommitByHand[];
  /** Branches that keep the person's own commits: only their content becomes part of the change. */
  readonly kept_branches: readonly string[];
}

type Taken = Adopted & { readonly hunks: readonly DiffHunk[] };

/** A person's edits and commits become the feature's content: nothing that passed before speaks for it. */
export function adoptOperation(rooms: Rooms): Operation<HandWorkInput, Taken, Adopted> {
  const { repository, layout, db } = rooms;
  return {
    name: "feature.adopt",
    roles: ROLES,
    input: handWorkInput,
    async effect({ feature_id }, { operationId, at }) {
      const feature = await findFeature(db, feature_id);
      const found = await look(rooms, feature, operationId);
      if (!isByHand(found)) return { tree: null, files: [], commits: [], kept_branches: [], hunks: [] };
      const { id, worktree, base_commit } = feature;
      const tree = await treeByHand(repository, found);
      await anchorFound(repository, recordedOf(feature), { ...found, tree }, anchorAs(feature, "adopted", operationId, at));
      await bringFiles(repository, worktree, { from: found.tree, to: tree }, { indexFile: layout.indexFile(id) });
      const kept_branches = await keepHeads(rooms, feature, found, operationId);
      await putBranchBack(rooms, feature, base_commit);
      const hunks = hunksOf(await linesBetween(repository, base_commit, tree));
      return { tree, files: found.edits.map(({ path }) => path), commits: found.commits, kept_branches, hunks };
    },
    async commit(tx, { feature_id }, { hunks, ...adopted }, { at, operationId: id }) {
      const { tree, files, commits } = adopted;
      if (tree === null) return adopted;
      const feature = await findFeature(tx, feature_id);
      const { plan = "na" } = gateMap(feature);
      const next = await updateFeature(tx, feature, { tree, gates: JSON.stringify({ plan }) }, at);
      await realign(tx, rooms, next, hunks);
      const seen = { id, name: "edited by hand", kind: BY_HAND, status: "pass", exit_code: null, log_digest: null } as const;
      const counts = { files: [...files], commits: commits.map((commit) => ({ ...commit })) };
      await recordCheck(tx, { ...seen, run_id: feature.run_id, feature_id, tree, at, counts });
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
  /** Null when nothing of a person's was there any more. */
  readonly branch: string | null;
  readonly commit: string | null;
}

/** A person's edits and commits stay on a branch they can see; worktree and branch go back to what is recorded. */
export function setAsideOperation(rooms: Rooms): Operation<HandWorkInput, SetAside, SetAside> {
  const { repository, db } = rooms;
  return {
    name: "feature.set_aside",
    roles: ROLES,
    input: handWorkInput,
    async effect({ feature_id }, { operationId, at }) {
      const feature = await findFeature(db, feature_id);
      const found = await look(rooms, feature, operationId);
      if (!isByHand(found)) return { branch: null, commit: null };
      const anchored = await anchorFound(repository, recordedOf(feature), found, anchorAs(feature, "set aside", operationId, at));
      const commit = (await onlyCommitted(rooms, found)) ?? anchored.commit;
      const branch = await keepOnBranch(repository, feature_id, commit);
      await putRight(rooms, feature, found, operationId, at);
      await unstage(repository, feature.branch, feature.worktree);
      return { branch, commit };
    },
    commit: async (_tx, _input, kept) => kept,
    event: ({ feature_id }, { branch, commit }) => ({ feature_id, branch, commit }),
  };
}

/** The person's own commit where it holds everything there is. */
async function onlyCommitted({ repository }: Rooms, { heads, tree }: Found): Promise<string | null> {
  const [head, ...others] = heads;
  return head !== undefined && others.length === 0 && (await treeOf(repository, head)) === tree ? head : null;
}

/** From now on they are known commits: the branch may be put elsewhere. Messages, authors and earlier versions stay on branches. */
async function keepHeads({ repository }: Rooms, { id, run_id: run }: Feature, { heads, commits }: Found, step: string): Promise<string[]> {
  for (const [index, head] of heads.entries()) await keepCommit(repository, { run, step: `${step}/head-${index + 1}` }, head);
  const branches: string[] = [];
  if (commits.length > 0) for (const head of heads) branches.push(await keepOnBranch(repository, id, head));
  return branches;
}

function anchorAs({ id, run_id: run }: Feature, what: string, step: string, at: number) {
  return { run, step: `${step}/by-hand`, message: `${id}: a person's work, ${what}`, at };
}
