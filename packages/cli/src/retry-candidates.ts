import { SlipwayError } from "./errors.ts";
import { closest } from "@slipway/kernel/schema/hint";
import { ENDED } from "@slipway/kernel/change/feature/status";
import { recordedFeatures } from "@slipway/kernel/change/feature/recorded-features";
import type { Feature } from "@slipway/kernel/change/feature/store";
import { plannedFeatures } from "@slipway/kernel/change/views/board/planned-features";
import { recordedRun } from "@slipway/kernel/record/runs";
import type { Records } from "@slipway/kernel/record/storage";
import { rootOf } from "@slipway/runtime/choose-run";
import { isRetried, startAgainCommand } from "./continue-command.ts";

/** The named features; for a run, its failed features. */
export async function featuresNamed(records: Records, names: readonly string[]): Promise<Feature[]> {
  const features = await Promise.all([...new Set(names)].map((name) => named(records, name)));
  return [...new Map(features.flat().map((feature) => [feature.id, feature])).values()];
}

async function named(records: Records, name: string): Promise<Feature[]> {
  const features = recordedFeatures(records);
  const feature = await features.ifAny(name);
  if (feature !== undefined) return [feature];
  const all = await features.all();
  const ofRun = all.filter(({ run_id }) => rootOf(run_id) === name);
  const failed = ofRun.filter(({ status }) => status === "failed");
  if (failed.length > 0) return failed;
  const meant = closest(name, [...all.map(({ id }) => id), ...all.map(({ run_id }) => rootOf(run_id))]);
  throw new SlipwayError(
    "feature_not_found",
    ofRun.length > 0
      ? `No feature of run ${name} has failed: ${ofRun.map(({ id, status }) => `${id} is ${status}`).join(", ")}.`
      : `There is no feature and no run "${name}"${meant === null ? "" : `; did you mean "${meant}"?`}`,
    { feature_id: name, suggested_next_actions: ["`slipway retry` lists what can be retried."] },
  );
}

/** Every feature that can be retried. */
export async function retryableFeatures(records: Records): Promise<Feature[]> {
  const all = await recordedFeatures(records).all();
  const refusals = await Promise.all(all.map((feature) => whyNotRetried(records, feature)));
  return all.filter((_feature, index) => refusals[index] === null);
}

/** Null if it can be retried. */
export async function whyNotRetried(records: Records, feature: Feature): Promise<SlipwayError | null> {
  const { id, status, run_id } = feature;
  const root = rootOf(run_id);
  if (status === "merged") return refusal(id, "is merged; there is nothing to retry", `slipway evidence ${id}`);
  const planned = (await plannedFeatures(records)).find((part) => part.id === id && part.part !== "over");
  if (planned !== undefined) {
    const busy = rootOf(planned.run);
    return refusal(id, `is part of run ${busy}, which has not ended`, `slipway resume ${busy}`, `slipway inbox`);
  }
  const run = await recordedRun(records, root);
  if (run === null && !ENDED.includes(status))
    return refusal(id, `is ${status} and belongs to no run: MCP tools drive it and must continue it`, "slipway status");
  if (run !== null && !isRetried(run.workflow))
    return refusal(id, `belongs to run ${root} of another protocol (${run.workflow})`, startAgainCommand(run.workflow) ?? "slipway status");
  return null;
}

function refusal(id: string, why: string, ...next: readonly string[]): SlipwayError {
  return new SlipwayError("run_exists", `"${id}" ${why}.`, { feature_id: id, suggested_next_actions: [...next] });
}
