import type { Db } from "../../../record/database/tables.ts";
import type { Rooms } from "../../feature/dependencies.ts";
import { acceptedPlan, findFeature } from "../../feature/store.ts";
import { claimsOf, type OwnedClaim } from "../../plan/claims.ts";
import { planSchema, type Plan } from "../../plan/schema.ts";
import { queuedEntry } from "../queue/store.ts";
import { hasEnded, isDecided, nextToLand, standsInLine, type Approved, type Standing } from "./rules.ts";
import { standingsOf, type Sibling } from "./standings.ts";

export interface PlanningTurn {
  /** What the plan wants and an earlier feature of the run waits to do. */
  readonly claimed: readonly OwnedClaim[];
}

/** Undefined while an earlier feature of the run is still planning. */
export async function turnToPlan(rooms: Rooms, run: readonly Sibling[], featureId: string, plan: Plan): Promise<PlanningTurn | undefined> {
  const place = run.findIndex(({ feature_id }) => feature_id === featureId);
  const earlier = run.slice(0, place);
  if (earlier.length === 0) return { claimed: [] };
  const standings = await standingsOf(rooms.db, run);
  const ended = (id: string) => endedIn(standings, id);
  if (earlier.some(({ feature_id }) => !isDecided(standings.get(feature_id) ?? NOBODY, ended))) return undefined;
  const waiting = earlier.map(({ feature_id }) => feature_id).filter((id) => standings.get(id)?.waitsFor != null && !ended(id));
  const wanted = new Set(claimsOf(plan, rooms.configuration.policy).map(keyOf));
  const claims = await Promise.all(waiting.map((id) => claimsOfWaiting(rooms, id)));
  return { claimed: claims.flat().filter((claim) => wanted.has(keyOf(claim))) };
}

export interface Ended {
  /** The base as the last of them left it; null when none of them landed. */
  readonly onto: string | null;
  readonly landed: readonly string[];
}

/** Undefined while one of the blockers can still land. */
export async function endOf({ db }: Rooms, run: readonly Sibling[], blockers: readonly string[]): Promise<Ended | undefined> {
  const standings = await standingsOf(db, run);
  return blockers.every((id) => endedIn(standings, id)) ? landedOf(db, blockers) : undefined;
}

export interface LeftQueue extends Ended {
  /** Null when the plan is still queued, but not for anybody of this run: then nothing here can bring it on. */
  readonly accepted: Plan | null;
  readonly status_reason: string;
}

/** Undefined while the queued plan of the feature waits for features of the run. */
export async function endOfQueueing(
  { db }: Rooms,
  run: readonly Sibling[],
  featureId: string,
  blockers: readonly string[],
): Promise<LeftQueue | undefined> {
  const entry = await queuedEntry(db, featureId);
  const standings = await standingsOf(db, run);
  if (entry?.waits_for.some((id) => !endedIn(standings, id)) === true) return undefined;
  const { status_reason } = await findFeature(db, featureId);
  const accepted = entry === null ? await acceptedPlan(db, featureId) : null;
  return { accepted, status_reason, ...(await landedOf(db, blockers)) };
}

async function landedOf(db: Db, blockers: readonly string[]): Promise<Ended> {
  const merges = await db
    .selectFrom("merges")
    .select(["feature_id", "commit_sha"])
    .where("feature_id", "in", [...blockers])
    .orderBy("at")
    .execute();
  return { onto: merges.at(-1)?.commit_sha ?? null, landed: merges.map(({ feature_id }) => feature_id) };
}

/** True when nobody who was approved before stands in line any more. */
export async function turnToLand({ db, configuration }: Rooms, run: readonly Sibling[], featureId: string): Promise<true | undefined> {
  const standings = await standingsOf(db, run);
  const line = run.filter(({ feature_id }) => standsInLine(standings.get(feature_id) ?? NOBODY));
  const approvals = configuration.policy.merge_policy.require_user_approval
    ? await approvalsOf(db, line)
    : line.map(({ feature_id }) => ({ feature_id, approvedAt: 0 }));
  const order = run.map(({ feature_id }) => feature_id);
  return [featureId, null].includes(nextToLand(approvals, order)) ? true : undefined;
}

/** The last word of a person on each of them, where it was yes. */
async function approvalsOf(db: Db, line: readonly Sibling[]): Promise<Approved[]> {
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

const NOBODY: Standing = { status: null, runFinished: false, waitsFor: null, asks: [] };

/** A feature that is no part of the run is nobody to wait for. */
function endedIn(standings: ReadonlyMap<string, Standing>, id: string): boolean {
  const standing = standings.get(id);
  return standing === undefined || hasEnded(standing);
}

async function claimsOfWaiting({ db, configuration }: Rooms, id: string): Promise<OwnedClaim[]> {
  const { plan } = await db.selectFrom("waits").select("plan").where("feature_id", "=", id).executeTakeFirstOrThrow();
  return claimsOf(planSchema.parse(JSON.parse(plan)), configuration.policy).map((claim) => ({ ...claim, feature_id: id }));
}

function keyOf({ type, resource }: Pick<OwnedClaim, "type" | "resource">): string {
  return `${type} ${resource}`;
}
