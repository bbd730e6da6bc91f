import { z } from "zod";
import { rolesFor } from "../../config/rbac.ts";
import type { Operation } from "../../record/operations/operation.ts";
import type { FeatureDependencies } from "./dependencies.ts";
import { findFeature } from "./store.ts";

const MAX_NOTE_CHARACTERS = 64 * 1024;

const noteInput = z.strictObject({
  feature_id: z.string(),
  role: z.string().min(1).max(100),
  text: z.string().min(1).max(MAX_NOTE_CHARACTERS),
});

/** Append-only. `role` is the author of the text; the actor is the caller that recorded it. */
export function noteOperation({ configuration }: FeatureDependencies): Operation<z.infer<typeof noteInput>, undefined, null> {
  return {
    name: "feature.log_append",
    roles: rolesFor(configuration.policy.rbac, "feature.log_append"),
    input: noteInput,
    async commit(tx, { feature_id, role, text }, _effect, { actor, at }) {
      await findFeature(tx, feature_id);
      await tx.insertInto("notes").values({ feature_id, actor_type: role, actor_id: actor.id, text, at }).execute();
      return null;
    },
    event: ({ feature_id, role }) => ({ feature_id, role }),
  };
}
