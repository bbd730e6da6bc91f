import { z } from "zod";
import { releaseAllWithin } from "../turn/locks/store.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { wakeQueue } from "../turn/queue/store.ts";
import { ENDED } from "./status.ts";
import { updateFeature } from "./store.ts";

const abandonInput = z.strictObject({ run_id: z.string().min(1), reason: z.string().min(1) });

/** Cancelling a run ends its features too, so that none seems to be in progress. Their bytes stay anchored. */
export const abandonOperation: Operation<z.infer<typeof abandonInput>, undefined, string[]> = {
  name: "feature.abandon",
  roles: ["person", "orchestrator", "system"],
  input: abandonInput,
  async commit(tx, { run_id, reason }, _effect, { at }) {
    const features = await tx.selectFrom("features").selectAll().execute();
    const open = features.filter((feature) => feature.run_id.split("/")[0] === run_id && !ENDED.includes(feature.status));
    for (const feature of open) {
      await releaseAllWithin(tx, feature.id);
      await updateFeature(tx, feature, { status: "failed", status_reason: reason }, at);
      await wakeQueue(tx, feature.id);
    }
    return open.map(({ id }) => id);
  },
  event: ({ run_id, reason }, features) => ({ run_id, reason, features }),
};
