import { SlipwayError } from "../../schema/errors.ts";
import { z } from "zod";
import { rolesFor } from "../../config/rbac.ts";
import { commitTree, datedAt, keepCommit } from "../../host/git/anchor.ts";
import { branchHead, moveBranch } from "../../host/git/branch.ts";
import { alignIndex } from "../../host/git/checkout.ts";
import { treeOf } from "../../host/git/fast-path/git-queries.ts";
import { standUp } from "../../host/git/stand-up.ts";
import type { ActorType, Operation } from "../../record/operations/operation.ts";
import { candidateOperation } from "../land/candidate.ts";
import { mergeOperation } from "../land/merge.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { recordedOf, reconcileWorktree } from "./reconcile-worktree.ts";
import { ENDED } from "../feature/status.ts";
import { findFeature, type Feature } from "../feature/store.ts";
import { prepareWorktreeRoot } from "./worktree-root.ts";

const featureInput = z.strictObject({ feature_id: z.string() });
type FeatureInput = z.infer<typeof featureInput>;

export const worktreeSchema = z.strictObject({
  worktree_path: z.string(),
  branch: z.string(),
  base: z.string().describe("The commit the branch started from."),
  created: z.boolean().describe("The worktree was missing and was created."),
});
type Worktree = z.infer<typeof worktreeSchema>;

/** Ensures the worktree on its branch, with the recorded content. An existing worktree is left unchanged. */
export function ensureWorktreeOperation(dependencies: FeatureDependencies): Operation<FeatureInput, Worktree, Worktree> {
  const { repository, db, configuration } = dependencies;
  return {
    name: "repo.ensure_worktree",
    roles: rolesFor(configuration.policy.rbac, "repo.ensure_worktree"),
    input: featureInput,
    async effect({ feature_id }) {
      const feature = await findFeature(db, feature_id);
      await prepareWorktreeRoot(dependencies);
      const made = await standUp(repository, recordedOf(feature));
      const { worktree: worktree_path, branch, base_commit: base } = feature;
      return { worktree_path, branch, base, created: made.length > 0 };
    },
    commit: async (_tx, _input, ensured) => ensured,
    event: ({ feature_id }, { branch, created }) => ({ feature_id, branch, created }),
  };
}

const commitInput = z.strictObject({ feature_id: z.string(), message: z.string().trim().min(1) });

export const committedSchema = z.strictObject({
  branch: z.string(),
  commit: z.string(),
  committed: z.boolean().describe("False if the branch already contained everything."),
});
type Committed = z.infer<typeof committedSchema>;

/** Commits the worktree's content to the feature's branch. The base does not move, and a merge still produces one commit. */
export function commitOperation(dependencies: FeatureDependencies): Operation<z.infer<typeof commitInput>, Committed, Committed> {
  const { repository, db, configuration } = dependencies;
  return {
    name: "repo.commit",
    roles: rolesFor(configuration.policy.rbac, "repo.commit"),
    input: commitInput,
    async effect({ feature_id, message }, { operationId, at }) {
      if (!configuration.policy.commit_policy.allow_commit) throw disabled("commit_disabled", "repo.commit", "allow_commit");
      const feature = await findFeature(db, feature_id);
      assertOpen(feature, "repo.commit");
      await reconcileWorktree(dependencies, feature, operationId, at);
      const { branch, tree, run_id: run } = feature;
      const head = (await branchHead(repository, branch)) ?? feature.base_commit;
      const committed = (await treeOf(dependencies.repository, head)) !== tree;
      const commit = committed ? await commitTree(repository, { tree, parents: [head], message, env: datedAt(at) }) : head;
      if (committed) {
        // Also anchored: a rebase or a merge moves the branch.
        await keepCommit(repository, { run, step: `${operationId}/commit` }, commit);
        await moveBranch(repository, branch, commit, head);
      }
      await alignIndex(repository, feature.worktree, commit);
      return { branch, commit, committed };
    },
    commit: async (_tx, _input, done) => done,
    event: ({ feature_id }, { commit, committed }) => ({ feature_id, commit, committed }),
  };
}

/** Rebases onto the current base, like a candidate. After a conflict nothing has moved. */
export function rebaseOperation(dependencies: FeatureDependencies): ReturnType<typeof candidateOperation> {
  const { policy } = dependencies.configuration;
  return under(candidateOperation(dependencies), {
    name: "repo.rebase_onto_main",
    roles: rolesFor(policy.rbac, "repo.rebase_onto_main"),
    before: async ({ feature_id }) => assertOpen(await findFeature(dependencies.db, feature_id), "repo.rebase_onto_main"),
    after({ feature_id }, { conflicts }) {
      if (conflicts.length > 0) throw conflicting(feature_id, policy.worktree.base_branch, conflicts);
    },
  });
}

/** Does not bypass the approval: this is `feature.ready_to_merge` for the roles that the policy allows. */
export function repoMergeOperation(dependencies: FeatureDependencies): ReturnType<typeof mergeOperation> {
  const { rbac, commit_policy } = dependencies.configuration.policy;
  return under(mergeOperation(dependencies), {
    name: "repo.merge",
    roles: rolesFor(rbac, "repo.merge"),
    async before() {
      if (!commit_policy.allow_merge) throw disabled("merge_disabled", "repo.merge", "allow_merge");
    },
  });
}

interface Guard<I, E> {
  readonly name: string;
  readonly roles: readonly ActorType[];
  readonly before: (input: I) => Promise<void>;
  /** Runs before anything is recorded. */
  readonly after?: (input: I, done: E) => void;
}

function under<I, E, O>(operation: Operation<I, E, O>, { name, roles, before, after }: Guard<I, E>): Operation<I, E, O> {
  const { effect } = operation;
  return {
    ...operation,
    name,
    roles,
    ...(effect !== undefined && {
      effect: async (input: I, call) => {
        await before(input);
        const done = await effect(input, call);
        after?.(input, done);
        return done;
      },
    }),
  };
}

export function assertOpen({ id, status }: Feature, what: string): void {
  if (!ENDED.includes(status)) return;
  throw new SlipwayError("invalid_status_transition", `"${id}" is ${status}; ${what} requires a feature in progress.`, {
    feature_id: id,
    from: status,
    suggested_next_actions: ["Run the specification again as a new feature."],
  });
}

function disabled(code: "commit_disabled" | "merge_disabled", what: string, field: string): SlipwayError {
  return new SlipwayError(code, `${what} is disabled: commit_policy.${field} is false.`, {
    file: "slipway/policy.yaml",
    field: `commit_policy.${field}`,
    suggested_next_actions: [
      "Merge with feature.ready_to_merge, which creates the commit after a person's approval.",
      `Or set commit_policy.${field} to true in slipway/policy.yaml and commit it.`,
    ],
  });
}

function conflicting(id: string, base: string, files: readonly string[]): SlipwayError {
  return new SlipwayError("merge_failed", `"${id}" conflicts with ${base} in ${files.join(", ")}. Nothing was moved.`, {
    feature_id: id,
    conflicts: files,
    suggested_next_actions: [`Change ${files.join(", ")} with repo.apply_patch so that it fits the current ${base}, then rebase again.`],
  });
}
