import { z } from "zod";
import type { FeatureStatus } from "../../feature/status.ts";
import type { LockLease } from "../../turn/locks/lease.ts";
import type { QueuePlace } from "../../turn/queue/store.ts";

const ids = z.array(z.string());

/** `index.json`. */
export const indexSchema = z.strictObject({
  version: z.int().min(0),
  updated_at: z.iso.datetime().optional(),
  active: ids,
  blocked: ids,
  merged: ids,
  /** Every configured resource, with the feature that holds it. */
  locks: z.record(z.string(), z.string().nullable()),
  lock_leases: z.record(z.string(), z.strictObject({ holder: z.string(), lease_id: z.string(), expires_at: z.iso.datetime() })),
  /** In the order in which they get their turn. */
  blocked_queue: z.array(
    z.strictObject({
      feature_id: z.string(),
      plan_version: z.int().min(1),
      detected_at: z.iso.datetime(),
      collision_fingerprint: z.string(),
      required_resources: z.array(z.string()),
    }),
  ),
});

export type FeatureIndex = z.infer<typeof indexSchema>;
export type IndexContent = Omit<FeatureIndex, "version" | "updated_at">;

export interface IndexRows {
  /** In the order of their ids. */
  readonly features: readonly { readonly id: string; readonly status: FeatureStatus }[];
  readonly leases: readonly LockLease[];
  readonly queue: readonly QueuePlace[];
  /** `policy.locks.resources` */
  readonly resources: readonly string[];
}

/** Which list a status is in. A feature that has failed is in none. */
const LISTS: Record<FeatureStatus, "active" | "blocked" | "merged" | null> = {
  planning: "active",
  building: "active",
  qa: "active",
  ready_to_merge: "active",
  blocked: "blocked",
  merged: "merged",
  failed: null,
};

/** An expired lease is shown until another feature takes it or recovery releases it: only operations change the index, not time. */
export function indexContent({ features, leases, queue, resources }: IndexRows): IndexContent {
  const listed = (list: "active" | "blocked" | "merged") => features.filter(({ status }) => LISTS[status] === list).map(({ id }) => id);
  const names = [...new Set([...resources, ...leases.map(({ resource }) => resource)])].toSorted();
  const holder = new Map(leases.map((lease) => [lease.resource, lease.holder]));
  return {
    active: listed("active"),
    blocked: listed("blocked"),
    merged: listed("merged"),
    locks: Object.fromEntries(names.map((resource) => [resource, holder.get(resource) ?? null])),
    lock_leases: Object.fromEntries(
      leases.map((lease) => [lease.resource, { holder: lease.holder, lease_id: lease.leaseId, expires_at: iso(lease.expiresAt) }]),
    ),
    blocked_queue: queue.map(({ feature_id, plan_version, detected_at, collision_fingerprint, required_resources }) => ({
      feature_id,
      plan_version,
      detected_at: iso(detected_at),
      collision_fingerprint,
      required_resources: [...required_resources],
    })),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
