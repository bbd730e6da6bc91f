import { evidenceOf, type EvidenceBundle } from "@slipway/kernel/change/judge/evidence/bundle";
import { keptFacts } from "@slipway/kernel/record/journal/heads";
import type { Records } from "@slipway/kernel/record/storage";
import { placesOf } from "@slipway/protocols/surface/caller";
import type { Io } from "@slipway/protocols/surface/io";
import { recordedFeature } from "./recorded-feature.ts";

/** Evidence of a current or deleted feature; see `recordedFeature` for its name. */
export async function bundleFor(records: Records, name: string | undefined, io: Io): Promise<EvidenceBundle> {
  const facts = await keptFacts(placesOf(io).stateHome, records);
  const { feature, label, merge } = await recordedFeature(records, name);
  return evidenceOf(records, feature, merge === null ? null : { ...merge, commit: merge.commit_sha }, label, facts);
}
