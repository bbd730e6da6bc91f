import { isFinished } from "@slipway/durable/status";
import type { Db } from "../../../record/database/tables.ts";
import type { FeatureStatus } from "../../feature/status.ts";
import { locksFor } from "../lock-operations.ts";
import type { FeatureDependencies } from "../../feature/dependencies.ts";
import { acceptedPlan, findFeature, gateMap } from "../../feature/store.ts";
import { isReserved } from "../locks/lease.ts";
import { heldLocks } from "../locks/store.ts";
import type { SiblingStatus } from "./rules.ts";

/** A feature of the same run, with the id of its child run. */
export interface Sibling {
  readonly feature_id: string;
  readonly run_id: string;
}

/** The states of all features of a run. */
export async function siblingStatuses(db: Db, siblings: readonly Sibling[]): Promise<Map<string, SiblingStatus>> {
  const ids = siblings.map(({ feature_id }) => feature_id);
  const runIds = siblings.map(({ run_id }) => run_id);
  const features = await db.selectFrom("features").select(["id", "status"]).where("id", "in", ids).execute();
  const runs = await db.selectFrom("runs").select(["run_id", "status"]).where("run_id", "in", runIds).execute();
  const waits = await db.selectFrom("waits").select(["feature_id", "blockers"]).where("feature_id", "in", ids).execute();
  const asked = await db
    .selectFrom("questions")
    .select(["run_id", "kind"])
    .where("run_id", "in", runIds)
    .where("status", "=", "open")
    .execute();
  const statusOf = ({ feature_id, run_id }: Sibling): SiblingStatus => {
    const blockers = waits.find((wait) => wait.feature_id === feature_id)?.blockers;
    return {
      status: features.find(({ id }) => id === feature_id)?.status ?? null,
      runFinished: runs.some((run) => run.run_id === run_id && isFinished(run.status)),
      waitsFor: blockers === undefined ? null : (JSON.parse(blockers) as string[]),
      asks: asked.filter((question) => question.run_id === run_id).map(({ kind }) => kind),
    };
  };
  return new Map(siblings.map((sibling) => [sibling.feature_id, statusOf(sibling)]));
}

export interface StatusNow {
  readonly status: FeatureStatus;
  readonly status_reason: string;
  readonly tree: string;
  /** Results on the current tree. */
  readonly gates: Readonly<Record<string, string>>;
  /** Locks that its plan needs and that it does not hold, or that are only reserved for it. */
  readonly lost: readonly string[];
}

export async function statusNow(dependencies: FeatureDependencies, featureId: string): Promise<StatusNow> {
  const { db, clock } = dependencies;
  const feature = await findFeature(db, featureId);
  const now = clock.now();
  const held = (await heldLocks(db, featureId)).filter(({ expiresAt, leaseId }) => expiresAt > now && !isReserved(leaseId));
  const lost = locksFor(dependencies, await acceptedPlan(db, featureId)).filter((name) => held.every(({ resource }) => resource !== name));
  return { status: feature.status, status_reason: feature.status_reason, tree: feature.tree, gates: gateMap(feature), lost };
}
