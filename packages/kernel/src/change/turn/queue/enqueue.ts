import { SlipwayError } from "../../../schema/errors.ts";
import type { Tx } from "../../../record/database/tables.ts";
import { assertTransition } from "../../feature/status.ts";
import { updateFeature, type Feature } from "../../feature/store.ts";
import { Refusal } from "../../../record/operations/operation.ts";
import type { PlanVerdict } from "../../plan/judge.ts";
import type { Plan } from "../../plan/schema.ts";
import { putEntry, queuedEntries, type QueueEntry } from "./store.ts";
import { circleOf, collisionsByKind, waitingReason } from "./waiting-reason.ts";

export type QueueWait = Extract<PlanVerdict, { answer: "wait" }>;

export interface QueueProposal {
  readonly plan: Plan;
  /** The commit on which the plan is based, and which of its files exist there. */
  readonly base: string;
  readonly existing: readonly string[];
}

/** Refuses the plan for now, adds it to the queue and blocks the feature. */
export async function enqueue(
  tx: Tx,
  feature: Feature,
  { plan, base, existing }: QueueProposal,
  verdict: QueueWait,
  { at, detectedAt }: { readonly at: number; readonly detectedAt: number },
): Promise<Refusal> {
  await putEntry(tx, {
    feature_id: feature.id,
    plan,
    detected_at: detectedAt,
    collision_fingerprint: verdict.report.fingerprint,
    required_resources: verdict.missing,
    waits_for: verdict.report.conflicting_feature_ids,
    base_commit: base,
    files_at_base: existing,
  });
  const { circle } = await block(tx, feature, verdict, await queuedEntries(tx), at);
  const { code, message, details } = verdict.error;
  const error = circle === null ? verdict.error : new SlipwayError(code, message, { ...details, circle, requires_human: true });
  return new Refusal(error, { feature_id: feature.id, plan_version: plan.plan_version, queued: verdict.report.fingerprint });
}

/** Writes what the feature waits for into its state, if that has changed. */
export async function block(
  tx: Tx,
  feature: Feature,
  { report }: Pick<QueueWait, "report">,
  entries: readonly QueueEntry[],
  at: number,
): Promise<{ readonly circle: string[] | null; readonly written: boolean }> {
  const waits = new Map([
    ...entries.map(({ feature_id, waits_for }) => [feature_id, waits_for] as const),
    [feature.id, report.conflicting_feature_ids],
  ]);
  const circle = circleOf(feature.id, waits);
  const reason = waitingReason(report, circle);
  const collisions = JSON.stringify(collisionsByKind(report));
  if (feature.status === "blocked" && feature.status_reason === reason && feature.collisions === collisions)
    return { circle, written: false };
  if (feature.status !== "blocked") {
    const facts = { planAccepted: false, fastPassed: false, fullPassed: false, reason, reasonChanged: true, landed: false };
    assertTransition(feature.status, "blocked", facts);
  }
  await updateFeature(tx, feature, { status: "blocked", status_reason: reason, collisions }, at);
  return { circle, written: true };
}
