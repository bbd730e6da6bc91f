import { SlipwayError } from "../../schema/errors.ts";
import { systemHost } from "@slipway/durable/host";
import { removeTree } from "../../host/files/remove-tree.ts";
import { z } from "zod";
import { rolesFor } from "../../config/rbac.ts";
import type { Tx } from "../../record/database/tables.ts";
import { recordFact } from "../../record/facts/collect.ts";
import { releaseAllWithin } from "../turn/locks/store.ts";
import { authorize, parseInput, type Operation } from "../../record/operations/operation.ts";
import { answerForDeleted } from "../../record/questions/inbox.ts";
import { wakeQueue } from "../turn/queue/store.ts";
import { leaseHeld, liveRunOn } from "../../record/run-lease/holder.ts";
import type { Call } from "../../record/operations/call.ts";
import { removalStepSchema, removeFromDisk, type RemovalStep } from "./delete-steps.ts";
import { reasonSchema, surveyFeature, type Survey } from "./delete-survey.ts";
import { keepFormer } from "../feature/former.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { featureIfAny, type Feature } from "../feature/store.ts";
import type { FeaturesTables } from "../feature/tables.ts";

const deleteInput = z.strictObject({ feature_id: z.string(), dry_run: z.boolean().optional(), force: z.boolean().optional() });
export type DeleteInput = z.infer<typeof deleteInput>;

export const deletionSchema = z.strictObject({
  feature_id: z.string(),
  dry_run: z.boolean(),
  removes: z
    .strictObject({
      worktree: z.string().nullable(),
      branch: z.string().nullable(),
      locks: z.array(z.string()),
      queue: z.array(z.string()),
      files: z.array(z.string()),
    })
    .describe("What existed and was to be removed."),
  keeps: z
    .strictObject({
      checks: z.int().describe("Number of checks; `slipway evidence` shows them."),
      invocations: z.int().describe("Number of agent calls, with cost and transcript."),
      merged_as: z.string().nullable().describe("The commit on the base branch; null if it was not merged."),
      anchors: z.int().describe("Number of refs below refs/slipway; `slipway restore` turns them into branches."),
    })
    .describe("What stays, counted before the deletion."),
  reasons: z.array(reasonSchema).describe("Every reason against the deletion. Without `force`, one reason prevents it."),
  steps: z.array(removalStepSchema).describe("The steps done; empty in a dry run."),
  unfinished_run: z.string().nullable().describe("An unfinished run that includes the feature."),
});
export type Deletion = z.infer<typeof deletionSchema>;

/** The journal's record of a deleted feature. */
interface Record {
  readonly run_id: string;
  readonly status: string;
  readonly tree: string;
  readonly plans: readonly unknown[];
  readonly notes: readonly unknown[];
  readonly merge: FeaturesTables["merges"] | null;
}

type Deleted = Deletion & { readonly record: Record };

export function deleteOperation(dependencies: FeatureDependencies): Operation<DeleteInput, Deletion & { version: number }, Deleted> {
  const { configuration } = dependencies;
  return {
    name: "feature.delete",
    roles: [...rolesFor(configuration.policy.rbac, "feature.delete"), "person"],
    input: deleteInput,
    async effect({ feature_id, force = false }, { operationId, at }) {
      const survey = await surveyFeature(dependencies, feature_id);
      if (survey.live !== null) throw leaseHeld(survey.live);
      if (survey.reasons.some((reason) => !(force && reason.force_helps))) throw refused(survey, force);
      const steps = await removeFromDisk(dependencies, survey, { run: survey.feature.run_id, operationId, at });
      return { ...describe(survey, false), steps, version: survey.feature.version };
    },
    async commit(tx, { feature_id }, { version, ...deletion }, { actor, at, operationId }) {
      const feature = await featureIfAny(tx, feature_id);
      if (feature === undefined || feature.version !== version) throw changed(feature_id, version, feature?.version ?? null);
      const live = await liveRunOn(tx, feature_id, { now: at, host: systemHost() });
      if (live !== null) throw leaseHeld(live);
      const record = await recordOf(tx, feature);
      const locks = await releaseAllWithin(tx, feature_id);
      const label = `${feature_id}#deleted:${operationId}`;
      const { run_id, status, tree, base_branch, base_commit } = feature;
      const former = { label, id: feature_id, run_id, status, tree, base_branch, base_commit, merge: record.merge };
      await keepFormer(tx, { ...former, deleted_at: at, deleted_by: actor.id });
      await removeRows(tx, feature_id, label);
      await wakeQueue(tx, feature_id);
      await answerForDeleted(tx, feature_id, actor, at);
      return { ...deletion, steps: [...deletion.steps, ...rowSteps(deletion, locks)], record };
    },
    event: ({ feature_id, force = false }, { record, steps }) => JSON.parse(JSON.stringify({ feature_id, force, record, steps })),
  };
}

/** A dry run. It bypasses the door, which would journal it. */
export async function surveyDeletion(dependencies: FeatureDependencies, { actor }: Call, input: DeleteInput): Promise<Deletion> {
  const operation = deleteOperation(dependencies);
  authorize(operation, actor);
  return describe(await surveyFeature(dependencies, parseInput(operation, input).feature_id), true);
}

/** Checked before waiting for the worktree: a run that works on the feature holds it for the duration of a gate. */
export async function assertNotLive({ db, clock }: FeatureDependencies, id: string): Promise<void> {
  const live = await liveRunOn(db, id, { now: clock.now(), host: systemHost() });
  if (live !== null) throw leaseHeld(live);
}

/** A projection in progress may have created the folder again. */
export async function sweepFolder({ db, layout }: FeatureDependencies, id: string): Promise<void> {
  if ((await featureIfAny(db, id)) === undefined) await removeTree(layout.feature(id));
}

function describe({ feature, worktree, branch, locks, queue, files, keeps, reasons, unfinished_run }: Survey, dryRun: boolean): Deletion {
  const removes = { worktree, branch: branch?.name ?? null, locks, queue, files };
  return { feature_id: feature.id, dry_run: dryRun, removes, keeps, reasons, steps: [], unfinished_run };
}

function rowSteps({ removes: { queue }, feature_id }: Deletion, locks: readonly string[]): RemovalStep[] {
  return [
    { step: "locks", outcome: outcome(locks), detail: locks.join(", ") },
    { step: "queue", outcome: outcome(queue), detail: queue.join("; ") },
    { step: "index", outcome: "removed", detail: feature_id },
  ];
}

function outcome(removed: readonly string[]): RemovalStep["outcome"] {
  return removed.length === 0 ? "absent" : "removed";
}

async function recordOf(tx: Tx, { id, run_id, status, tree }: Feature): Promise<Record> {
  const plans = await tx.selectFrom("plans").select("plan").where("feature_id", "=", id).orderBy("plan_version").execute();
  const notes = await tx
    .selectFrom("notes")
    .select(["actor_type", "actor_id", "text", "at"])
    .where("feature_id", "=", id)
    .orderBy("id")
    .execute();
  const merge = await tx.selectFrom("merges").selectAll().where("feature_id", "=", id).executeTakeFirst();
  return { run_id, status, tree, plans: plans.map(({ plan }) => JSON.parse(plan) as unknown), notes, merge: merge ?? null };
}

/**
 * Checks, telemetry and egress stay under a label that no new feature can have: a gate the deleted feature passed proves nothing for the next one.
 */
async function removeRows(tx: Tx, id: string, formerly: string): Promise<void> {
  const merged = await tx.selectFrom("merges").select("feature_id").where("feature_id", "=", id).executeTakeFirst();
  for (const table of ["checks", "telemetry", "egress"] as const)
    await tx.updateTable(table).set({ feature_id: formerly }).where("feature_id", "=", id).execute();
  for (const table of ["checks", "egress"] as const)
    for (const row of await tx.selectFrom(table).selectAll().where("feature_id", "=", formerly).execute())
      recordFact(tx, table, row.id, row);
  if (merged !== undefined) recordFact(tx, "merges", id, null);
  for (const table of ["notes", "plans", "merges"] as const) await tx.deleteFrom(table).where("feature_id", "=", id).execute();
  await tx.deleteFrom("features").where("id", "=", id).execute();
}

function refused({ feature, reasons }: Survey, force: boolean): SlipwayError {
  const listed = reasons.map(({ message }) => message).join("; ");
  const helps = !force && reasons.every(({ force_helps }) => force_helps);
  return new SlipwayError("delete_refused", `"${feature.id}" was not deleted: ${listed}.`, {
    feature_id: feature.id,
    reasons,
    suggested_next_actions: helps
      ? [`\`slipway delete ${feature.id} --force\` deletes it anyway; its bytes stay reachable under refs/slipway.`]
      : ["Resolve every reason listed, then try again."],
  });
}

function changed(id: string, expected: number, actual: number | null): SlipwayError {
  return new SlipwayError("version_conflict", `"${id}" changed while it was being deleted.`, {
    feature_id: id,
    expected_version: expected,
    actual_version: actual,
    suggested_next_actions: ["Delete it again to remove the rest."],
  });
}
