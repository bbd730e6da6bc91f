import { z } from "zod";
import { rolesFor } from "../../config/rbac.ts";
import type { Tx } from "../../record/database/tables.ts";
import { modePassed } from "../judge/evidence/checks.ts";
import { releaseAllWithin } from "../turn/locks/store.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { wakeQueue } from "../turn/queue/store.ts";
import type { FeatureDependencies } from "./dependencies.ts";
import { assertTransition, STATUSES, type FeatureStatus } from "./status.ts";
import { acceptedPlan, findFeature, updateFeature, type Feature } from "./store.ts";

const statusInput = z.strictObject({ feature_id: z.string(), to: z.enum(STATUSES), reason: z.string() });

/** A shortcut for protocols: `feature.state_patch` of `status` and `status_reason`. */
export function changeStatusOperation(dependencies: FeatureDependencies): Operation<z.infer<typeof statusInput>, undefined, Feature> {
  return {
    name: "feature.state_patch",
    roles: rolesFor(dependencies.configuration.policy.rbac, "feature.state_patch"),
    input: statusInput,
    async commit(tx, { feature_id, to, reason }, _effect, { at }) {
      const feature = await findFeature(tx, feature_id);
      await changeStatusWithin(dependencies, tx, feature, to, reason);
      const changed = await updateFeature(tx, feature, { status: to, status_reason: reason }, at);
      await wakeQueue(tx, feature_id);
      return changed;
    },
    event: ({ feature_id, to, reason }) => ({ feature_id, to, reason }),
  };
}

/**
 * The kernel checks the transition against its own records, for every caller. A failed feature releases its locks. The caller writes the
 * row.
 */
export async function changeStatusWithin(
  { configuration: { policy } }: Pick<FeatureDependencies, "configuration">,
  tx: Tx,
  feature: Feature,
  to: FeatureStatus,
  reason: string,
  retried = false,
): Promise<void> {
  const { id: feature_id, tree } = feature;
  const passed = (mode: string) => modePassed(tx, { feature_id, mode, tree });
  assertTransition(feature.status, to, {
    planAccepted: (await acceptedPlan(tx, feature_id)) !== null,
    fastPassed: !policy.required_modes.includes("fast") || (await passed("fast")),
    fullPassed: (await passed("full")) && (await passed(policy.required_merge_mode)),
    reason,
    reasonChanged: reason !== feature.status_reason,
    landed: false,
    retried,
  });
  if (to === "failed") await releaseAllWithin(tx, feature_id);
}
