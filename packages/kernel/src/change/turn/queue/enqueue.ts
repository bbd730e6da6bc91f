import { SlipwayError } from "@slipway/durable/errors";
import type { Tx } from "../../../record/database/tables.ts";
import { assertTransition } from "../../feature/status.ts";
import { updateFeature, type Feature } from "../../feature/store.ts";
import { Refusal } from "../../../record/operations/operation.ts";
import type { Verdict } from "../../plan/judge.ts";
import type { Plan } from "../../plan/schema.ts";
import { putEntry, queuedEntries, type QueueEntry } from "./store.ts";
import { circleOf, collisionsByKind, waitingReason } from "./waiting.ts";

export type Wait = Extract<Verdict, { answer: "wait" }>;

export interface Proposal {
  readonly plan: Plan;
  /** The commit the plan was made on, and which of the files it names are there. */
  readonly base: string;
  readonly existing: readonly string[];
}

/** The plan is refused for now and has its place in the queue; the feature is blocked. */
export async function enqueue(
  tx: Tx,
  feature: Feature,
  { plan, base, existing }: Proposal,
  verdict: Wait,
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

/** Writes into the feature what it waits for, if that is news. */
export async function block(
  tx: Tx,
  feature: Feature,
  { report }: Pick<Wait, "report">,
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
