import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import { systemHost } from "@slipway/durable/host";
import { isFinished } from "@slipway/durable/status";
import { z } from "zod";
import { checksOf } from "../judge/evidence/checks.ts";
import { telemetryOf } from "../../budget/telemetry.ts";
import { isAnchorOf, listAnchors } from "../../host/git/anchors.ts";
import { branchHead } from "../../host/git/branch.ts";
import { findCheckouts } from "../../host/git/checkout.ts";
import { hiddenGitFolders } from "../../host/git/listing.ts";
import { isFolder, listRegistrations } from "../../host/git/registration.ts";
import { worktreeStatus } from "../../host/git/worktree-status.ts";
import { heldLocks } from "../turn/locks/store.ts";
import { queuedEntry } from "../turn/queue/store.ts";
import { liveRunOn, type Holder } from "../../record/run-lease/holder.ts";
import type { Rooms } from "../feature/dependencies.ts";
import { ENDED } from "../feature/status.ts";
import { findFeature, type Feature } from "../feature/store.ts";

export const reasonSchema = z.strictObject({
  code: z.string(),
  message: z.string(),
  force_helps: z.boolean().describe("False: not even with `force`."),
});
export type Reason = z.infer<typeof reasonSchema>;

/** What a deletion would take away, and what speaks against it. */
export interface Survey {
  readonly feature: Feature;
  /** Null where there is none. */
  readonly worktree: string | null;
  readonly registered: boolean;
  readonly branch: { readonly name: string; readonly head: string } | null;
  readonly locks: string[];
  readonly queue: string[];
  /** From the root of the repository. */
  readonly files: string[];
  readonly keeps: { readonly checks: number; readonly invocations: number; readonly merged_as: string | null; readonly anchors: number };
  /** A run that has not ended and still counts on the feature. */
  readonly unfinished_run: string | null;
  readonly live: Holder | null;
  readonly reasons: Reason[];
}

/** Looks, and writes nothing. */
export async function surveyFeature(rooms: Rooms, id: string): Promise<Survey> {
  const { repository, db, layout, clock } = rooms;
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
    keeps: await keptOf(rooms, id),
    unfinished_run: await unfinishedRun(rooms, feature),
    live,
    reasons: [
      ...(live === null ? [] : [reason("run_lease_held", `process ${live.pid} is carrying out run ${live.run_id}`, false)]),
      ...(present ? await worktreeReasons(rooms, feature) : []),
      ...(head === null ? [] : await branchReasons(rooms, feature, head)),
      ...statusReasons(feature),
    ],
  };
}

async function worktreeReasons({ repository }: Rooms, { worktree, branch }: Feature): Promise<Reason[]> {
  try {
    const { porcelain, branch: found } = await worktreeStatus(repository, worktree);
    const dirty = porcelain.split("\n").filter((line) => line !== "");
    const [embedded] = await hiddenGitFolders(await repository.vault({ workTree: worktree }), worktree);
    return [
      ...(found === branch ? [] : [reason("worktree_swapped", `the worktree is on ${found ?? "no branch"}, not on ${branch}`, false)]),
      ...(embedded === undefined
        ? []
        : [reason("embedded_repository", `${embedded} is a repository of its own, which no ref can keep`, false)]),
      ...(dirty.length === 0
        ? []
        : [reason("uncommitted_changes", `the worktree has ${dirty.length} uncommitted changes, such as ${dirty[0]?.slice(3)}`)]),
    ];
  } catch (error) {
    if (error instanceof SlipwayError && error.code === "worktree_swapped") return [reason(error.code, error.message, false)];
    throw error;
  }
}

/** The base branch, and whatever branch somebody has checked out, is not a feature's to delete. */
async function branchReasons(rooms: Rooms, feature: Feature, head: string): Promise<Reason[]> {
  const { repository, configuration } = rooms;
  const { branch, base_branch, worktree } = feature;
  const bases = new Set([base_branch, configuration.policy.worktree.base_branch].map((name) => name.toLowerCase()));
  const elsewhere = (await findCheckouts(repository, branch)).filter(({ root }) => root !== worktree);
  const ahead = await commitsAhead(rooms, feature, head);
  return [
    ...(bases.has(branch.toLowerCase()) ? [reason("protected_branch", `${branch} is the base branch`, false)] : []),
    ...elsewhere.map(({ root }) => reason("protected_branch", `${branch} is checked out in ${root}`, false)),
    ...(ahead === 0 ? [] : [reason("unmerged_commits", `the branch has ${ahead} commits that ${base_branch} does not have`)]),
  ];
}

/** What a merge has recorded as its feature commit counts as merged, whatever became of it on the base. */
async function commitsAhead({ repository, db }: Rooms, { id, base_branch, base_commit }: Feature, head: string): Promise<number> {
  const merge = await db.selectFrom("merges").select("feature_commit").where("feature_id", "=", id).executeTakeFirst();
  if (merge?.feature_commit === head) return 0;
  const base = (await branchHead(repository, base_branch)) ?? base_commit;
  return Number(await repository.git.text(["rev-list", "--count", "--end-of-options", head, `^${base}`]));
}

function statusReasons({ status }: Feature): Reason[] {
  return status === "planning" || ENDED.includes(status) ? [] : [reason("not_finished", `the feature is ${status}`)];
}

async function keptOf({ repository, db }: Rooms, id: string): Promise<Survey["keeps"]> {
  const merge = await db.selectFrom("merges").select("commit_sha").where("feature_id", "=", id).executeTakeFirst();
  return {
    checks: (await checksOf(db, { feature_id: id })).length,
    invocations: (await telemetryOf(db, { feature_id: id })).length,
    merged_as: merge?.commit_sha ?? null,
    anchors: (await listAnchors(repository)).filter((anchor) => isAnchorOf(id, anchor)).length,
  };
}

async function unfinishedRun({ db }: Rooms, { run_id }: Feature): Promise<string | null> {
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
