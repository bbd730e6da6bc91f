import type { Json } from "@slipway/durable/canonical";
import { z } from "zod";
import type { Operation } from "../../record/operations/operation.ts";
import { clusterSchema, roleStatusSchema } from "./state.ts";
import { findFeature, updateFeature } from "./store.ts";

const sessionsInput = z.strictObject({
  feature_id: z.string(),
  cluster: clusterSchema.partial().strict().optional(),
  role_status: roleStatusSchema.partial().strict().optional(),
});

/** Records which sessions play the roles of a feature, and their status. For the supervisor. Roles it omits keep their values. */
export const setSessionsOperation: Operation<z.infer<typeof sessionsInput>, undefined, { version: number }> = {
  name: "feature.set_sessions",
  roles: ["orchestrator", "system"],
  input: sessionsInput,
  async commit(tx, { feature_id, cluster = {}, role_status = {} }, _effect, { at }) {
    const feature = await findFeature(tx, feature_id);
    const next = { cluster: merged(feature.cluster, cluster), role_status: merged(feature.role_status, role_status) };
    if (next.cluster === feature.cluster && next.role_status === feature.role_status) return { version: feature.version };
    const { version } = await updateFeature(tx, feature, next, at);
    return { version };
  },
  event: ({ feature_id, cluster, role_status }, { version }) => ({
    feature_id,
    version,
    cluster: { ...cluster } as Json,
    role_status: { ...role_status } as Json,
  }),
};

function merged(stored: string, change: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...(JSON.parse(stored) as object), ...change });
}
