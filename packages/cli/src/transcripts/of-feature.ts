import { SlipwayError } from "@slipway/durable/errors";
import { telemetryOf } from "@slipway/kernel/budget/telemetry";
import type { Records } from "@slipway/kernel/record/storage";
import { rootOf } from "@slipway/runtime/choose-run";
import { recordedFeature } from "../recorded-feature.ts";
import { transcriptsOf, type Found } from "./find.ts";

/** What agents were asked for one feature, in every run that worked on it; also of one that was deleted. */
export interface OfFeature {
  /** As a command takes it. */
  readonly name: string;
  /** The last run that worked on it. */
  readonly runId: string;
  readonly found: readonly Found[];
  readonly notes: readonly string[];
}

/** Null where no feature has, or had, the name. */
export async function transcriptsOfFeature(records: Records, name: string): Promise<OfFeature | null> {
  const recorded = await recordedFeature(records, name).catch(unlessUnknown);
  if (recorded === null) return null;
  const { feature, label } = recorded;
  const rows = await telemetryOf(records.database.db, { feature_id: label });
  const runs = new Set([...rows.map(({ run_id }) => rootOf(run_id)), rootOf(feature.run_id)]);
  const all = await Promise.all([...runs].map((runId) => transcriptsOf(records, runId)));
  const { deleted, earlier = [] } = feature;
  return {
    name,
    runId: rootOf(feature.run_id),
    found: all.flat().filter((found) => found.name.startsWith(`${feature.id}/`)),
    notes: [
      ...(deleted === undefined ? [] : [`${feature.id} was deleted at ${new Date(deleted.at).toISOString()} by ${deleted.by}.`]),
      ...earlier.map((other) => `A deleted feature had this name before: slipway transcript ${other}`),
    ],
  };
}

function unlessUnknown(error: unknown): null {
  if (error instanceof SlipwayError && error.code === "feature_not_found") return null;
  throw error;
}
