import { z } from "zod";
import { tool } from "./tool.ts";

const resource = z.string().min(1).describe("A resource listed in policy.locks.resources, for example openapi.");
const featureId = z.string().min(1).describe("The feature that needs the lock.");

export const locksTools = [
  tool({
    name: "locks.acquire",
    kind: "mutating",
    description: [
      "Takes a lock for a feature, so that no other feature changes the same contract or protected area at the same time. lock_not_held of plan.submit names the locks that a plan needs.",
      "The lock is a lease: it ends at expires_at unless it is renewed, by a live supervisor or by calling this again.",
      "If another feature holds it, the call waits (up to wait_timeout_seconds, else the policy's default) and then fails with lock_conflict and the holder's name; if the policy says fail, it fails at once.",
      "An expired lease is taken over; then the evidence has the note stale_lock_reclaimed.",
      "Only resources of the policy can be locked: any other fails with policy_violation.",
    ].join(" "),
    input: z.strictObject({
      resource,
      feature_id: featureId,
      wait_timeout_seconds: z.number().min(0).optional().describe("How long to wait for another feature to release it; 0 does not wait."),
    }),
    output: z.strictObject({
      resource: z.string(),
      feature_id: z.string(),
      lease_id: z.string(),
      expires_at: z.iso.datetime(),
      fencing_token: z.int().describe("Raised each time the holder changes: a lease with a lower token is void."),
    }),
    async call(kernel, input, call) {
      const { leases, evidence } = await kernel.features.acquireLock(call, input, call.signal());
      const [lease] = leases;
      if (lease === undefined) throw new Error(`No lease was given for ${input.resource}.`);
      const notes = evidence.map(({ code, resource: name, former_holder, expired_at }) => ({
        code,
        message: `"${name}" was held by "${former_holder}" until its lease expired at ${new Date(expired_at).toISOString()}.`,
      }));
      return {
        data: {
          resource: lease.resource,
          feature_id: lease.holder,
          lease_id: lease.leaseId,
          expires_at: new Date(lease.expiresAt).toISOString(),
          fencing_token: lease.token,
        },
        ...(notes.length > 0 && { evidence: { notes } }),
      };
    },
  }),
  tool({
    name: "locks.release",
    kind: "mutating",
    description: [
      "Releases a lock; plans that wait for it are reconsidered at once. A merge releases all locks of its feature.",
      "Fails with lock_not_held, and changes nothing, if this feature does not hold the lock.",
    ].join(" "),
    input: z.strictObject({ resource, feature_id: featureId }),
    output: z.strictObject({ resource: z.string(), feature_id: z.string() }),
    async call(kernel, input, call) {
      await kernel.features.releaseLock(call, input);
      return { data: input };
    },
  }),
];
