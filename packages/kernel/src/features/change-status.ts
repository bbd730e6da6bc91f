import { z } from "zod";
import { modePassed } from "../evidence/checks.ts";
import { releaseAllWithin } from "../locks/store.ts";
import type { Operation } from "../operations/operation.ts";
import type { Rooms } from "./rooms.ts";
import { assertTransition, STATUSES } from "./status.ts";
import { acceptedPlan, findFeature, updateFeature, type Feature } from "./store.ts";

const statusInput = z.strictObject({ feature_id: z.string(), to: z.enum(STATUSES), reason: z.string() });

/** The kernel decides from its own records, whoever proposes the change. */
export function changeStatusOperation({ configuration }: Rooms): Operation<z.infer<typeof statusInput>, undefined, Feature> {
  return {
    name: "feature.state_patch",
    roles: ["orchestrator", "system"],
    input: statusInput,
    async commit(tx, { feature_id, to, reason }, _effect, { at }) {
      const feature = await findFeature(tx, feature_id);
      const modes = configuration.policy.required_modes;
      const passed = async (mode: string) => modePassed(tx, { feature_id, mode, tree: feature.tree });
      assertTransition(feature.status, to, {
        planAccepted: (await acceptedPlan(tx, feature_id)) !== null,
        fastPassed: !modes.includes("fast") || (await passed("fast")),
        fullPassed: (await passed("full")) && (await passed(configuration.policy.required_merge_mode)),
        reason,
        reasonChanged: reason !== feature.status_reason,
        landed: false,
      });
      if (to === "failed") await releaseAllWithin(tx, feature_id);
      return updateFeature(tx, feature, { status: to, status_reason: reason }, at);
    },
    event: ({ feature_id, to, reason }) => ({ feature_id, to, reason }),
  };
}
