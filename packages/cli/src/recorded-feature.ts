import { SlipwayError } from "./errors.ts";
import type { EvidencedFeature } from "@slipway/kernel/change/judge/evidence/bundle";
import { formerName, type Former } from "@slipway/kernel/change/feature/former";
import { recordedFeatures } from "@slipway/kernel/change/feature/recorded-features";
import type { FeaturesTables } from "@slipway/kernel/change/feature/tables";
import type { Records } from "@slipway/kernel/record/storage";
import { chooseFeature } from "@slipway/runtime/choose";

/** A current or deleted feature. */
export interface RecordedFeature {
  readonly feature: EvidencedFeature;
  /** The name under which its checks and telemetry are stored. */
  readonly label: string;
  readonly merge: FeaturesTables["merges"] | null;
}

/** Finds a feature by name, the newest of that name; `search@1` is the first deleted one. */
export async function recordedFeature(records: Records, name: string | undefined): Promise<RecordedFeature> {
  const features = recordedFeatures(records);
  const [, id, number] = /^(.+)@(\d+)$/.exec(name ?? "") ?? [];
  if (id !== undefined) return ofFormer(await formerNumber(records, id, Number(number)), []);
  const former = name === undefined ? [] : await features.former(name);
  const newest = former.at(-1);
  if (name !== undefined && newest !== undefined && (await features.ifAny(name)) === undefined)
    return ofFormer(newest, former.slice(0, -1));
  const feature = await chooseFeature(records, name);
  const earlier = name === undefined ? await features.former(feature.id) : former;
  return { feature: { ...feature, ...earlierOf(earlier) }, label: feature.id, merge: await features.mergeOf(feature.id) };
}

async function formerNumber(records: Records, id: string, number: number): Promise<Former> {
  const all = await recordedFeatures(records).former(id);
  const found = all.find((former) => former.number === number);
  if (found !== undefined) return found;
  if (all.length === 0) await recordedFeatures(records).find(id);
  throw new SlipwayError("feature_not_found", `There is no deleted feature "${id}@${number}".`, {
    feature_id: id,
    suggested_next_actions: all.length === 0 ? [`slipway evidence ${id}`] : [`There are ${all.map(formerName).join(", ")}.`],
  });
}

function ofFormer(
  { id, run_id, status, tree, label, merge, deleted_at: at, deleted_by: by }: Former,
  earlier: readonly Former[],
): RecordedFeature {
  return { feature: { id, run_id, status, tree, deleted: { at, by }, ...earlierOf(earlier) }, label, merge };
}

function earlierOf(former: readonly Former[]): Pick<EvidencedFeature, "earlier"> {
  return former.length === 0 ? {} : { earlier: former.map(formerName) };
}
