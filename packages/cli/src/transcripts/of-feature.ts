import { SlipwayError } from "../errors.ts";
import { runsWorkingOn } from "@slipway/kernel/budget/telemetry";
import type { Records } from "@slipway/kernel/record/storage";
import { rootOf } from "@slipway/runtime/choose-run";
import { recordedFeature } from "../recorded-feature.ts";
import { transcriptsOf, type FoundTranscript } from "./find.ts";

/** The invocations for one feature in all its runs, also for a deleted feature. */
export interface OfFeature {
  /** The name that commands accept. */
  readonly name: string;
  /** The last run that worked on the feature. */
  readonly runId: string;
  readonly found: readonly FoundTranscript[];
  readonly notes: readonly string[];
}

/** Null if no feature has or had the name. */
export async function transcriptsOfFeature(records: Records, name: string): Promise<OfFeature | null> {
  const recorded = await recordedFeature(records, name).catch(unlessUnknown);
  if (recorded === null) return null;
  const { feature, label } = recorded;
  const runs = new Set([...(await runsWorkingOn(records, label)), feature.run_id].map(rootOf));
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
