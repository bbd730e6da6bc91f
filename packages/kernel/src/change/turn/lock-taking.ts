import type { Tx } from "../../record/database/tables.ts";
import { acquireWithin, type Acquired } from "./locks/store.ts";
import type { OperationCall } from "../../record/operations/operation.ts";
import { wakeQueue } from "./queue/store.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { featureIfAny, updateFeature, type Feature } from "../feature/store.ts";

/** Takes all locks or none. Taking over an expired lease also updates the former holder's state. */
export async function takeLocks(
  tx: Tx,
  { configuration: { policy } }: Pick<FeatureDependencies, "configuration">,
  feature: Feature,
  resources: readonly string[],
  { at, operationId, touched }: Pick<OperationCall, "at" | "operationId" | "touched">,
): Promise<Acquired> {
  const request = {
    resources,
    holder: feature.id,
    ttlMs: policy.locks.lease_ttl_seconds * 1000,
    allowed: policy.locks.resources,
    leaseId: () => operationId,
  };
  const acquired = await acquireWithin(tx, request, at);
  for (const former of new Set(acquired.evidence.map(({ former_holder }) => former_holder))) {
    const loser = await featureIfAny(tx, former);
    if (loser !== undefined) {
      await updateFeature(tx, loser, {}, at);
      touched?.(loser.id);
    }
    await wakeQueue(tx, former);
  }
  return acquired;
}
