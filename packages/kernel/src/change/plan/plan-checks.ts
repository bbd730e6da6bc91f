import { SlipwayError } from "../../schema/errors.ts";
import { checkSchema } from "../../schema/violations.ts";
import { preparedQueryWith } from "../../record/database/prepared-query.ts";
import type { Tx } from "../../record/database/tables.ts";
import { regularFilesAt } from "../../host/git/tree-files.ts";
import { heldLocks } from "../turn/locks/store.ts";
import { othersClaims, storeClaims } from "./claims-store.ts";
import { claimKey, claimsOf } from "./claims.ts";
import type { PlanFacts } from "./judge.ts";
import { plannedFiles, planSchema, type Plan } from "./schema.ts";
import type { QueueProposal } from "../turn/queue/enqueue.ts";
import { wakeEntries, wakeQueue } from "../turn/queue/store.ts";
import { NO_COLLISIONS } from "../turn/queue/waiting-reason.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { assertTransition, type FeatureStatus } from "../feature/status.ts";
import { acceptedPlan, gateMap, updateFeature, type Feature } from "../feature/store.ts";
import type { FeaturesTables } from "../feature/tables.ts";

/** Validates the schema. Lists every violation; a path outside the repository has its own error code. */
export function readPlan(value: Readonly<Record<string, unknown>>): Plan {
  const checked = checkSchema(planSchema, { gate_profile: "default", ...value });
  if (checked.ok) return checked.value;
  const { violations } = checked;
  const listed = violations.map(({ pointer, message }) => `${pointer || "/"}: ${message}`).join("; ");
  throw new SlipwayError(
    violations.find(({ code }) => code !== undefined)?.code ?? "schema_validation_failed",
    `The plan is not valid. ${listed}`,
    {
      violations,
      suggested_next_actions: ["Correct every field listed in `violations` and submit the plan again."],
    },
  );
}

/** Reads from git what the checks need, before the transaction. */
export async function proposalFor({ repository }: FeatureDependencies, feature: Feature, plan: Plan): Promise<QueueProposal> {
  const paths = plannedFiles(plan).map(({ path }) => path);
  return { plan, base: feature.base_commit, existing: await regularFilesAt(repository, feature.base_commit, paths) };
}

/** Reads all other facts for the checks, in this transaction. */
export async function planFacts(
  tx: Tx,
  { configuration: { policy, gates } }: Pick<FeatureDependencies, "configuration">,
  feature: Feature,
  { plan, base, existing }: QueueProposal,
  now: number,
): Promise<PlanFacts> {
  const atBase = new Set(existing);
  const locks = (await heldLocks(tx)).filter(({ expiresAt }) => expiresAt > now);
  return {
    featureId: feature.id,
    policy,
    gates,
    currentVersion: (await acceptedPlan(tx, feature.id))?.plan_version ?? 0,
    heldLocks: locks.filter(({ holder }) => holder === feature.id).map(({ resource }) => resource),
    holders: new Map(locks.filter(({ holder }) => holder !== feature.id).map(({ resource, holder }) => [resource, holder])),
    claimed: await othersClaims(tx, plan, policy),
    takesFreeLocks: false,
    // If the base has moved since, the existence of files is unknown. Patches are checked against the actual files.
    ...(base === feature.base_commit && { existsAtBase: (path: string) => atBase.has(path) }),
  };
}

export interface Acceptance {
  /** The feature is blocked because its plan waited in the queue. */
  readonly queued: boolean;
  readonly reason: string;
}

const insertPlan = preparedQueryWith((db, row: FeaturesTables["plans"]) => db.insertInto("plans").values(row));

/** Writes the plan, its claims, its gate and the feature's status in one transaction. */
export async function acceptPlan(
  tx: Tx,
  { configuration: { policy } }: Pick<FeatureDependencies, "configuration">,
  feature: Feature,
  plan: Plan,
  { queued, reason }: Acceptance,
  at: number,
): Promise<void> {
  const before = await acceptedPlan(tx, feature.id);
  await insertPlan(tx, { feature_id: feature.id, plan_version: plan.plan_version, plan: JSON.stringify(plan), accepted_at: at });
  await storeClaims(tx, plan, policy);
  const status = statusAfter(feature.status, queued);
  if (status !== feature.status) {
    const reasonChanged = reason !== feature.status_reason;
    assertTransition(feature.status, status, {
      planAccepted: true,
      fastPassed: false,
      fullPassed: false,
      reason,
      reasonChanged,
      landed: false,
    });
  }
  const gates = sameGates(before, plan) ? gateMap(feature) : {};
  await updateFeature(
    tx,
    feature,
    {
      status,
      ...(status !== feature.status && { status_reason: reason }),
      gate_profile: plan.gate_profile,
      gates: JSON.stringify({ ...gates, plan: "pass" }),
      collisions: JSON.stringify(NO_COLLISIONS),
    },
    at,
  );
  await wakeQueue(tx, feature.id);
  const claimed = new Set(claimsOf(plan, policy).map(claimKey));
  await wakeEntries(tx, (entry) => claimsOf(entry.plan, policy).some((claim) => claimed.has(claimKey(claim))));
}

/**
 * Accepting a plan starts the building phase only if the plan was missing. Otherwise the plan only limits later patches: a feature in QA
 * stays in QA, and a feature blocked for another reason stays blocked until it is unblocked.
 */
function statusAfter(status: FeatureStatus, queued: boolean): FeatureStatus {
  return status === "planning" || (status === "blocked" && queued) ? "building" : status;
}

/** Gate results under another profile or other steps do not apply. */
function sameGates(before: Plan | null, plan: Plan): boolean {
  return gatesOf(before) === gatesOf(plan);
}

function gatesOf(plan: Plan | null): string {
  return JSON.stringify([plan?.gate_profile, plan?.gate_targets, plan?.verification_overrides]);
}
