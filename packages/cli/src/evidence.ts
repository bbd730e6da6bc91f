import { evidenceOf, type EvidenceBundle } from "@slipway/kernel/evidence/bundle";
import type { Feature } from "@slipway/kernel/features/store";
import type { Records } from "@slipway/kernel/records";

export async function bundleFor({ database: { db } }: Records, feature: Feature): Promise<EvidenceBundle> {
  const merge = await db.selectFrom("merges").selectAll().where("feature_id", "=", feature.id).executeTakeFirst();
  return evidenceOf(db, feature, merge === undefined ? null : { ...merge, commit: merge.commit_sha });
}
