import { digestOf } from "@slipway/durable/canonical";
import type { Tx } from "../../../record/database/tables.ts";
import { takeLocks } from "../lock-taking.ts";
import { acceptPlan, planFacts } from "../../plan/plan-checks.ts";
import type { FeatureDependencies } from "../../feature/dependencies.ts";
import { findFeature, updateFeature, type Feature } from "../../feature/store.ts";
import { heldLocks } from "../locks/store.ts";
import type { OperationCall } from "../../../record/operations/operation.ts";
import { judgePlan, type PlanVerdict } from "../../plan/judge.ts";
import { block } from "./enqueue.ts";
import { nextWoken, putEntry, queuedEntries, queuedPlaces, removeEntry, wakeEntries, type QueueEntry } from "./store.ts";

/** The actor in the journal: changes of the queue have no caller. */
const QUEUE = { type: "system", id: "queue" } as const;

/**
 * Reconsiders queued plans, oldest first. Only entries whose obstacles have changed are woken. An accepted plan takes claims and an
 * accepted update releases them, which wakes further entries, until none is left.
 */
export async function reevaluate(tx: Tx, dependencies: FeatureDependencies, call: OperationCall): Promise<void> {
  await wakeExpired(tx, call.at);
  for (let entry = await nextWoken(tx); entry !== null; entry = await nextWoken(tx)) await giveTurn(tx, dependencies, entry, call);
}

/** No operation releases a lease that expires, so expired leases are looked up here. */
async function wakeExpired(tx: Tx, now: number): Promise<void> {
  if ((await queuedPlaces(tx)).every(({ required_resources }) => required_resources.length === 0)) return;
  const expired = (await heldLocks(tx)).filter(({ expiresAt }) => expiresAt <= now).map(({ resource }) => resource);
  if (expired.length > 0) await wakeEntries(tx, ({ required_resources }) => required_resources.some((name) => expired.includes(name)));
}

async function giveTurn(tx: Tx, dependencies: FeatureDependencies, entry: QueueEntry, call: OperationCall): Promise<void> {
  const feature = await findFeature(tx, entry.feature_id);
  if (feature.status !== "blocked") {
    await removeEntry(tx, feature.id);
    return;
  }
  const proposal = { plan: entry.plan, base: entry.base_commit, existing: entry.files_at_base };
  const verdict = judgePlan(entry.plan, { ...(await planFacts(tx, dependencies, feature, proposal, call.at)), takesFreeLocks: true });
  if (verdict.answer !== "accept") {
    if (await stillWaits(tx, feature, entry, verdict, call.at)) call.touched?.(feature.id);
    return;
  }
  await takeLocks(tx, dependencies, feature, verdict.locks, call);
  await acceptPlan(
    tx,
    dependencies,
    feature,
    entry.plan,
    { queued: true, reason: "the plan was accepted: its collisions are gone" },
    call.at,
  );
  call.touched?.(feature.id);
  await dependencies.journal.append(tx, {
    kind: "operation",
    name: "plan.accept_queued",
    key: `${call.operationId}/queue/${feature.id}/${entry.plan.plan_version}`,
    at: call.at,
    payload: {
      actor: QUEUE,
      input: digestOf(entry.plan),
      event: { feature_id: feature.id, plan_version: entry.plan.plan_version, locks: [...verdict.locks], woken_by: call.operationId },
    },
  });
}

/** Updates what the entry waits for; its position in the queue stays. Returns whether anything was written. */
async function stillWaits(
  tx: Tx,
  feature: Feature,
  entry: QueueEntry,
  verdict: Exclude<PlanVerdict, { answer: "accept" }>,
  at: number,
): Promise<boolean> {
  if (verdict.answer === "refuse") {
    const reason = `the queued plan cannot be accepted as it is: ${verdict.error.message}`;
    if (feature.status_reason === reason) return false;
    await updateFeature(tx, feature, { status_reason: reason }, at);
    return true;
  }
  const { report, missing } = verdict;
  const same = entry.collision_fingerprint === report.fingerprint && digestOf(entry.required_resources) === digestOf(missing);
  const next = { collision_fingerprint: report.fingerprint, required_resources: missing, waits_for: report.conflicting_feature_ids };
  if (!same) await putEntry(tx, { ...entry, ...next });
  return (await block(tx, feature, verdict, await queuedEntries(tx), at)).written;
}
