import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { systemHost } from "@slipway/durable/host";
import { isFinished } from "@slipway/durable/status";
import { z } from "zod";
import { checksOf } from "../judge/evidence/checks.ts";
import { telemetryOf } from "../../budget/telemetry.ts";
import { isAnchorOf, listAnchors } from "../../host/git/anchors.ts";
import { branchHead } from "../../host/git/branch.ts";
import { hasCode } from "../../host/files/file-system.ts";
import { findCheckouts } from "../../host/git/checkout.ts";
import { hiddenGitFolders } from "../../host/git/tree-listing.ts";
import { isFolder, listRegistrations } from "../../host/git/registration.ts";
import { worktreeStatus } from "../../host/git/worktree-status.ts";
import { heldLocks } from "../turn/locks/store.ts";
import { queuedEntry } from "../turn/queue/store.ts";
import { liveRunOn, type Holder } from "../../record/run-lease/holder.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { ENDED } from "../feature/status.ts";
import { findFeature, type Feature } from "../feature/store.ts";

export const reasonSchema = z.strictObject({
  code: z.string(),
  message: z.string(),
  force_helps: z.boolean().describe("False: `force` does not override this reason."),
});
export type Reason = z.infer<typeof reasonSchema>;

/** What a deletion would remove, and the reasons against it. */
export interface Survey {
  readonly feature: Feature;
  /** Null if it does not exist. */
  readonly worktree: string | null;
  readonly registered: boolean;
  readonly branch: { readonly name: string; readonly head: string } | null;
  readonly locks: string[];
  readonly queue: string[];
  /** Relative to the root of the repository. */
  readonly files: string[];
  readonly keeps: { readonly checks: number; readonly invocations: number; readonly merged_as: string | null; readonly anchors: number };
  /** An unfinished run that includes the feature. */
  readonly unfinished_run: string | null;
  readonly live: Holder | null;
  readonly reasons: Reason[];
}

/** Reads only. */
export async function surveyFeature(dependencies: FeatureDependencies, id: string): Promise<Survey> {
  const { repository, db, layout, clock } = dependencies;
  const feature = await findFeature(db, id);
  const present = await isFolder(feature.worktree);
  const head = await branchHead(repository, feature.branch);
  const queued = await queuedEntry(db, id);
  const live = await liveRunOn(db, id, { now: clock.now(), host: systemHost() });
  return {
    feature,
    worktree: present ? feature.worktree : null,
    registered: (await listRegistrations(repository)).some(({ path }) => path === feature.worktree),
    branch: head === null ? null : { name: feature.branch, head },
    locks: (await heldLocks(db, id)).map(({ resource }) => resource),
    queue: queued === null ? [] : [`plan ${queued.plan.plan_version}, waiting for ${queued.waits_for.join(", ")}`],
    files: await filesIn(layout.feature(id), layout.root),
    keeps: await keptOf(dependencies, id),
    unfinished_run: await unfinishedRun(dependencies, feature),
    live,
    reasons: [
      ...(live === null ? [] : [reason("run_lease_held", `process ${live.pid} is driving run ${live.run_id}`, false)]),
      ...(present ? await worktreeReasons(dependencies, feature) : []),
      ...(head === null ? [] : await branchReasons(dependencies, feature, head)),
      ...statusReasons(feature),
    ],
  };
}

async function worktreeReasons({ repository }: FeatureDependencies, { worktree, branch }: Feature): Promise<Reason[]> {
  try {
    const { porcelain, branch: checkedOut } = await worktreeStatus(repository, worktree);
    const dirty = porcelain.split("\n").filter((line) => line !== "");
    const [embedded] = await hiddenGitFolders(await repository.vault({ workTree: worktree }), worktree);
    return [
      ...(checkedOut === branch
        ? []
        : [reason("worktree_swapped", `the worktree is on ${checkedOut ?? "no branch"}, not on ${branch}`, false)]),
      ...(embedded === undefined ? [] : [reason("embedded_repository", `${embedded} is a git repository, which no ref can keep`, false)]),
      ...(dirty.length === 0
        ? []
        : [reason("uncommitted_changes", `the worktree has ${dirty.length} uncommitted changes, such as ${dirty[0]?.slice(3)}`)]),
    ];
  } catch (error) {
    if (hasCode(error, "ENAMETOOLONG", "EACCES"))
      return [reason("unreadable_files", "the worktree has folders that are closed, or nested deeper than a path can be long")];
    if (error instanceof SlipwayError && error.code === "worktree_swapped") return [reason(error.code, error.message, false)];
    throw error;
  }
}

/** The base branch, and a branch checked out in another worktree, must not be deleted. */
async function branchReasons(dependencies: FeatureDependencies, feature: Feature, head: string): Promise<Reason[]> {
  const { repository, configuration } = dependencies;
  const { branch, base_branch, worktree } = feature;
  const bases = new Set([base_branch, configuration.policy.worktree.base_branch].map((name) => name.toLowerCase()));
  const elsewhere = (await findCheckouts(repository, branch)).filter(({ root }) => root !== worktree);
  const ahead = await commitsAhead(dependencies, feature, head);
  return [
    ...(bases.has(branch.toLowerCase()) ? [reason("protected_branch", `${branch} is the base branch`, false)] : []),
    ...elsewhere.map(({ root }) => reason("protected_branch", `${branch} is checked out in ${root}`, false)),
    ...(ahead === 0 ? [] : [reason("unmerged_commits", `the branch has ${ahead} commits that ${base_branch} does not have`)]),
  ];
}

/** The commit that a merge recorded as its feature commit counts as merged, even if the base no longer contains it. */
async function commitsAhead(
  { repository, db }: FeatureDependencies,
  { id, base_branch, base_commit }: Feature,
  head: string,
): Promise<number> {
  const merge = await db.selectFrom("merges").select("feature_commit").where("feature_id", "=", id).executeTakeFirst();
  if (merge?.feature_commit === head) return 0;
  const base = (await branchHead(repository, base_branch)) ?? base_commit;
  return Number(await repository.git.text(["rev-list", "--count", "--end-of-options", head, `^${base}`]));
}

function statusReasons({ status }: Feature): Reason[] {
  return status === "planning" || ENDED.includes(status) ? [] : [reason("not_finished", `the feature is ${status}`)];
}

async function keptOf({ repository, db }: FeatureDependencies, id: string): Promise<Survey["keeps"]> {
  const merge = await db.selectFrom("merges").select("commit_sha").where("feature_id", "=", id).executeTakeFirst();
  return {
    checks: (await checksOf(db, { feature_id: id })).length,
    invocations: (await telemetryOf(db, { feature_id: id })).length,
    merged_as: merge?.commit_sha ?? null,
    anchors: (await listAnchors(repository)).filter((anchor) => isAnchorOf(id, anchor)).length,
  };
}

async function unfinishedRun({ db }: FeatureDependencies, { run_id }: Feature): Promise<string | null> {
  const run = await db.selectFrom("runs").select("status").where("run_id", "=", run_id).executeTakeFirst();
  return run === undefined || isFinished(run.status) ? null : run_id;
}

async function filesIn(folder: string, root: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .toSorted();
}

function reason(code: string, message: string, forceHelps = true): Reason {
  return { code, message, force_helps: forceHelps };
}
