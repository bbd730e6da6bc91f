import type { Ctx } from "@slipway/durable/ctx";
import type { Failure } from "@slipway/durable/errors";
import { SlipwayError, toFailure } from "@slipway/durable/errors";
import { callOf, type Shop } from "./shop.ts";

/** Takes what a plan needs, waiting a while for others; null when it holds everything, else why not. */
export async function holdLocks(ctx: Ctx, shop: Shop, id: string, step: string, plan: unknown): Promise<Failure | null> {
  const resources = shop.kernel.features.locksFor(plan);
  if (resources.length === 0) return null;
  const { default_wait_timeout_seconds: seconds, acquire_backoff: backoff } = shop.kernel.configuration.policy.locks;
  const backoffMs = backoff.initial_seconds * 1000;
  const attempts = Math.max(1, Math.ceil(seconds / backoff.max_seconds));
  try {
    await ctx.step(step, () => shop.kernel.features.acquireLocks(callOf(ctx, step), { feature_id: id, resources }), {
      retry: { attempts, backoffMs, factor: backoff.factor, maxBackoffMs: backoff.max_seconds * 1000 },
    });
    return null;
  } catch (error) {
    if (error instanceof SlipwayError && error.code === "lock_conflict") return toFailure(error);
    throw error;
  }
}
