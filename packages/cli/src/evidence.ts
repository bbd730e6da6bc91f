import { evidenceOf, type EvidenceBundle } from "@slipway/kernel/change/judge/evidence/bundle";
import type { Records } from "@slipway/kernel/record/storage";
import { recordedFeature } from "./recorded-feature.ts";

/** Evidence of a current or deleted feature; see `recordedFeature` for its name. */
export async function bundleFor(records: Records, name: string | undefined): Promise<EvidenceBundle> {
  const { feature, label, merge } = await recordedFeature(records, name);
  return evidenceOf(records, feature, merge === null ? null : { ...merge, commit: merge.commit_sha }, label);
}
