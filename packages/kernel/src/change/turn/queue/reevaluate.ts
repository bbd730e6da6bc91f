import { digestOf } from "@slipway/durable/canonical";
import type { Tx } from "../../../record/database/tables.ts";
import { takeLocks } from "../lock-taking.ts";
import { acceptPlan, planFacts } from "../../plan/plan-checks.ts";
import type { Rooms } from "../../feature/dependencies.ts";
import { findFeature, updateFeature, type Feature } from "../../feature/store.ts";
import { heldLocks } from "../locks/store.ts";
import type { Call } from "../../../record/operations/operation.ts";
import { judgePlan, type Verdict } from "../../plan/judge.ts";
import { block } from "./enqueue.ts";
import { nextWoken, putEntry, queuedEntries, queuedPlaces, removeEntry, wakeEntries, type QueueEntry } from "./store.ts";

/** For the journal: what the queue does is nobody's call. */
const QUEUE = { type: "system", id: "queue" } as const;

/**
 * Gives those who wait a turn, always the oldest first whose obstacles have changed: for the others nothing can be different. What
 * an accepted plan takes, or an accepted update lets go of, wakes more of them, until nobody is left to be looked at.
 */
export async function reevaluate(tx: Tx, rooms: Rooms, call: Call): Promise<void> {
  await wakeExpired(tx, call.at);
  for (let entry = await nextWoken(tx); entry !== null; entry = await nextWoken(tx)) await giveTurn(tx, rooms, entry, call);
}

/** A lease that runs out is let go of by nobody. */
async function wakeExpired(tx: Tx, now: number): Promise<void> {
  if ((await queuedPlaces(tx)).every(({ required_resources }) => required_resources.length === 0)) return;
  const expired = (await heldLocks(tx)).filter(({ expiresAt }) => expiresAt <= now).map(({ resource }) => resource);
  if (expired.length > 0) await wakeEntries(tx, ({ required_resources }) => required_resources.some((name) => expired.includes(name)));
}

async function giveTurn(tx: Tx, rooms: Rooms, entry: QueueEntry, call: Call): Promise<void> {
  const feature = await findFeature(tx, entry.feature_id);
  if (feature.status !== "blocked") {
    await removeEntry(tx, feature.id);
    return;
  }
  const proposal = { plan: entry.plan, base: entry.base_commit, existing: entry.files_at_base };
  const verdict = judgePlan(entry.plan, { ...(await planFacts(tx, rooms, feature, proposal, call.at)), takesFreeLocks: true });
  if (verdict.answer !== "accept") {
    if (await stillWaits(tx, feature, entry, verdict, call.at)) call.touched?.(feature.id);
    return;
  }
  await takeLocks(tx, rooms, feature, verdict.locks, call);
  await acceptPlan(
    tx,
    rooms,
    feature,
    entry.plan,
    { queued: true, reason: "the plan was accepted: nothing is in its way any more" },
    call.at,
  );
  call.touched?.(feature.id);
  await rooms.journal.append(tx, {
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

/** What it waits for may be something else than before; its place in the queue stays. Says whether anything was written. */
async function stillWaits(
  tx: Tx,
  feature: Feature,
  entry: QueueEntry,
  verdict: Exclude<Verdict, { answer: "accept" }>,
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
