import { z } from "zod";
import type { Db, Tx } from "../database/tables.ts";
import { acquireWithin, heldLocks } from "../locks/store.ts";
import type { Operation } from "../operations/operation.ts";
import { requiredLocks } from "../plans/locks.ts";
import { parsePlan } from "../plans/schema.ts";
import type { Rooms } from "./rooms.ts";
import { findFeature } from "./store.ts";

const locksInput = z.strictObject({ feature_id: z.string(), resources: z.array(z.string().min(1)).min(1) });

/** All of them or none, in one order for everybody. Somebody else's lock makes this a failure that may pass. */
export function acquireLocksOperation({ configuration: { policy } }: Rooms): Operation<z.infer<typeof locksInput>, undefined, string[]> {
  return {
    name: "locks.acquire",
    roles: ["orchestrator", "system"],
    input: locksInput,
    async commit(tx, { feature_id, resources }, _effect, { at, operationId }) {
      await findFeature(tx, feature_id);
      const request = {
        resources,
        holder: feature_id,
        ttlMs: policy.locks.lease_ttl_seconds * 1000,
        allowed: policy.locks.resources,
        leaseId: () => operationId,
      };
      const { leases } = await acquireWithin(tx, request, at);
      return leases.map(({ resource }) => resource);
    },
    event: ({ feature_id }, resources) => ({ feature_id, resources }),
  };
}

/** What a proposed plan would need; a plan that is not even well-formed needs nothing. */
export function locksFor({ configuration: { policy } }: Rooms, plan: unknown): string[] {
  const parsed = parsePlan(plan);
  return parsed.ok ? requiredLocks(parsed.value, policy).filter((resource) => policy.locks.resources.includes(resource)) : [];
}

/** Locks whose lease has not run out. */
export async function locksInForce(db: Db | Tx, feature: string, now: number): Promise<string[]> {
  return (await heldLocks(db, feature)).filter(({ expiresAt }) => expiresAt > now).map(({ resource }) => resource);
}
