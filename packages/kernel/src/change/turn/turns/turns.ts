import type { Db } from "../../../record/database/tables.ts";
import type { FeatureDependencies } from "../../feature/dependencies.ts";
import { acceptedPlan, findFeature } from "../../feature/store.ts";
import { claimsOf, type OwnedClaim } from "../../plan/claims.ts";
import { planSchema, type Plan } from "../../plan/schema.ts";
import { queuedEntry } from "../queue/store.ts";
import { hasEnded, isDecided, nextToLand, waitsToLand, type ApprovedFeature, type SiblingStatus } from "./rules.ts";
import { siblingStatuses, type Sibling } from "./sibling-statuses.ts";

export interface PlanningTurn {
  /** Claims of the plan that an earlier, waiting feature of the run also needs. */
  readonly claimed: readonly OwnedClaim[];
}

/** Undefined while an earlier feature of the run is still planning. */
export async function turnToPlan(
  dependencies: FeatureDependencies,
  run: readonly Sibling[],
  featureId: string,
  plan: Plan,
): Promise<PlanningTurn | undefined> {
  const position = run.findIndex(({ feature_id }) => feature_id === featureId);
  const earlier = run.slice(0, position);
  if (earlier.length === 0) return { claimed: [] };
  const statuses = await siblingStatuses(dependencies.db, run);
  const ended = (id: string) => endedIn(statuses, id);
  if (earlier.some(({ feature_id }) => !isDecided(statuses.get(feature_id) ?? NOBODY, ended))) return undefined;
  const waiting = earlier.map(({ feature_id }) => feature_id).filter((id) => statuses.get(id)?.waitsFor != null && !ended(id));
  const wanted = new Set(claimsOf(plan, dependencies.configuration.policy).map(keyOf));
  const claims = await Promise.all(waiting.map((id) => claimsOfWaiting(dependencies, id)));
  return { claimed: claims.flat().filter((claim) => wanted.has(keyOf(claim))) };
}

export interface EndedFeatures {
  /** The base after the last of them landed; null if none landed. */
  readonly onto: string | null;
  readonly landed: readonly string[];
}

/** Undefined while one of the blockers can still land. */
export async function endOf(
  { db }: FeatureDependencies,
  run: readonly Sibling[],
  blockers: readonly string[],
): Promise<EndedFeatures | undefined> {
  const statuses = await siblingStatuses(db, run);
  return blockers.every((id) => endedIn(statuses, id)) ? landedOf(db, blockers) : undefined;
}

export interface LeftQueue extends EndedFeatures {
  /** Null if the plan is still queued, but not because of a feature of this run: then this run cannot unblock it. */
  readonly accepted: Plan | null;
  readonly status_reason: string;
}

/** Undefined while the queued plan of the feature waits for features of the run. */
export async function endOfQueueing(
  { db }: FeatureDependencies,
  run: readonly Sibling[],
  featureId: string,
  blockers: readonly string[],
): Promise<LeftQueue | undefined> {
  const entry = await queuedEntry(db, featureId);
  const statuses = await siblingStatuses(db, run);
  if (entry?.waits_for.some((id) => !endedIn(statuses, id)) === true) return undefined;
  const { status_reason } = await findFeature(db, featureId);
  const accepted = entry === null ? await acceptedPlan(db, featureId) : null;
  return { accepted, status_reason, ...(await landedOf(db, blockers)) };
}

async function landedOf(db: Db, blockers: readonly string[]): Promise<EndedFeatures> {
  const merges = await db
    .selectFrom("merges")
    .select(["feature_id", "commit_sha"])
    .where("feature_id", "in", [...blockers])
    .orderBy("at")
    .execute();
  return { onto: merges.at(-1)?.commit_sha ?? null, landed: merges.map(({ feature_id }) => feature_id) };
}

/** True when no feature with an earlier approval waits to land. */
export async function turnToLand(
  { db, configuration }: FeatureDependencies,
  run: readonly Sibling[],
  featureId: string,
): Promise<true | undefined> {
  const statuses = await siblingStatuses(db, run);
  const line = run.filter(({ feature_id }) => waitsToLand(statuses.get(feature_id) ?? NOBODY));
  const approvals = configuration.policy.merge_policy.require_user_approval
    ? await approvalsOf(db, line)
    : line.map(({ feature_id }) => ({ feature_id, approvedAt: 0 }));
  const order = run.map(({ feature_id }) => feature_id);
  return [featureId, null].includes(nextToLand(approvals, order)) ? true : undefined;
}

/** The latest approvals of these features. */
async function approvalsOf(db: Db, line: readonly Sibling[]): Promise<ApprovedFeature[]> {
  const runIds = line.map(({ run_id }) => run_id);
  const answers = await db
    .selectFrom("questions")
    .select(["run_id", "answer", "answered_at"])
    .where("kind", "=", "approval")
    .where("status", "=", "answered")
    .where("run_id", "in", runIds)
    .orderBy("answered_at")
    .execute();
  return line.flatMap(({ feature_id, run_id }) => {
    const last = answers.findLast((answer) => answer.run_id === run_id);
    const answer = JSON.parse(last?.answer ?? "null") as { readonly decision?: unknown } | null;
    return answer?.decision === "approve" ? [{ feature_id, approvedAt: last?.answered_at ?? 0 }] : [];
  });
}

const NOBODY: SiblingStatus = { status: null, runFinished: false, waitsFor: null, asks: [] };

/** A feature outside the run is not waited for. */
function endedIn(statuses: ReadonlyMap<string, SiblingStatus>, id: string): boolean {
  const sibling = statuses.get(id);
  return sibling === undefined || hasEnded(sibling);
}

async function claimsOfWaiting({ db, configuration }: FeatureDependencies, id: string): Promise<OwnedClaim[]> {
  const { plan } = await db.selectFrom("waits").select("plan").where("feature_id", "=", id).executeTakeFirstOrThrow();
  return claimsOf(planSchema.parse(JSON.parse(plan)), configuration.policy).map((claim) => ({ ...claim, feature_id: id }));
}

function keyOf({ type, resource }: Pick<OwnedClaim, "type" | "resource">): string {
  return `${type} ${resource}`;
}
