import { SlipwayError } from "../../schema/errors.ts";
import type { Selectable } from "kysely";
import { preparedQuery, preparedQueryWith } from "../../record/database/prepared-query.ts";
import type { Db, Tx } from "../../record/database/tables.ts";
import type { Plan } from "../plan/schema.ts";
import type { FeaturesTables } from "./tables.ts";

export type Feature = Selectable<FeaturesTables["features"]>;

const featureRow = preparedQuery((db, id: string) => db.selectFrom("features").selectAll().where("id", "=", id));

export async function featureIfAny(db: Db | Tx, id: string): Promise<Feature | undefined> {
  return (await featureRow(db, id))[0];
}

export async function findFeature(db: Db | Tx, id: string): Promise<Feature> {
  const feature = await featureIfAny(db, id);
  if (feature !== undefined) return feature;
  throw new SlipwayError("feature_not_found", `There is no feature "${id}".`, {
    feature_id: id,
    suggested_next_actions: ["Run `slipway status` to see the features of this repository."],
  });
}

const newestPlan = preparedQuery((db, id: string) =>
  db.selectFrom("plans").select("plan").where("feature_id", "=", id).orderBy("plan_version", "desc").limit(1),
);

/** Not parsed again: the plan was validated when it was accepted, and nothing else writes the table. */
export async function acceptedPlan(db: Db | Tx, id: string): Promise<Plan | null> {
  const [row] = await newestPlan(db, id);
  return row === undefined ? null : (JSON.parse(row.plan) as Plan);
}

const changedRow = preparedQueryWith((db, { expected, ...next }: Feature & { readonly expected: number }) =>
  db.updateTable("features").set(next).where("id", "=", next.id).where("version", "=", expected).returning("id"),
);

/** Writes the change only if the version is still the one that was read, and increments it. */
export async function updateFeature(tx: Tx, feature: Feature, change: Partial<Feature>, at: number): Promise<Feature> {
  const next = { ...feature, ...change, version: feature.version + 1, updated_at: at };
  const changed = await changedRow(tx, { ...next, expected: feature.version });
  if (changed.length === 1) return next;
  throw new SlipwayError("version_conflict", `The feature "${feature.id}" has changed since it was read.`, {
    feature_id: feature.id,
    expected_version: feature.version,
    suggested_next_actions: ["Read the feature again and repeat the call."],
  });
}

export function gateMap(feature: Feature): Record<string, "pass" | "fail" | "na"> {
  return JSON.parse(feature.gates) as Record<string, "pass" | "fail" | "na">;
}

/** Those of the ids that have a feature already. */
export function featuresNamed(db: Db, ids: readonly string[]): Promise<Pick<Feature, "id" | "status" | "run_id">[]> {
  return db.selectFrom("features").select(["id", "status", "run_id"]).where("id", "in", ids).execute();
}
