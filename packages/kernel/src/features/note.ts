import { z } from "zod";
import type { Operation } from "../operations/operation.ts";
import { findFeature } from "./store.ts";

const noteInput = z.strictObject({ feature_id: z.string(), role: z.string(), text: z.string().min(1) });

export const noteOperation: Operation<z.infer<typeof noteInput>, undefined, null> = {
  name: "feature.log_append",
  roles: ["orchestrator", "system"],
  input: noteInput,
  async commit(tx, { feature_id, role, text }, _effect, { actor, at }) {
    await findFeature(tx, feature_id);
    await tx.insertInto("notes").values({ feature_id, actor_type: role, actor_id: actor.id, text, at }).execute();
    return null;
  },
};
