import type { Failure } from "@slipway/durable/errors";
import { SlipwayError, toFailure } from "@slipway/durable/errors";
import type { Plan } from "@slipway/kernel/change/plan/schema";
import { certain } from "./attempt.ts";
import { conflictingIn } from "./rules.ts";
import { orchestratorCall, type Site } from "./site.ts";

/** Takes what a plan needs; null when it holds everything, else why not. */
export function holdLocks(site: Site, step: string, plan: Plan): Promise<Failure | null> {
  return holdResources(site, step, async () => site.shop.kernel.features.locksFor(plan));
}

/** The same for the plan that is in force. */
export function holdPlanLocks(site: Site, step: string): Promise<Failure | null> {
  const { features } = site.shop.kernel;
  return holdResources(site, step, async () => features.locksFor(await features.plan(site.id)));
}

/** What was taken for a plan that cannot be had now is there for others; whoever submits it again takes it again. */
export async function giveBackLocks(site: Site, name: string, plan: Plan): Promise<void> {
  const { features } = site.shop.kernel;
  if (features.locksFor(plan).length > 0)
    await certain(site, `unlock:${name}`, (call) => features.giveBackLocks(call, { feature_id: site.id, plan_json: plan }));
}

/** For a lock of another run the wait is bounded; a feature of this run keeps its locks until it lands, which is arbitrated. */
export async function holdResources(site: Site, step: string, wanted: () => Promise<readonly string[]>): Promise<Failure | null> {
  const { settings, kernel } = site.shop;
  const { lock_wait_timeout_seconds: seconds, lock_acquire_backoff_seconds: backoff } = settings;
  const retry = {
    attempts: Math.max(1, Math.ceil(seconds / backoff.max_seconds)),
    backoffMs: backoff.initial_seconds * 1000,
    factor: backoff.factor,
    maxBackoffMs: backoff.max_seconds * 1000,
    when: (error: unknown) => error instanceof SlipwayError && error.code === "lock_conflict" && !heldHere(site, error),
  };
  try {
    await site.ctx.step(
      step,
      async () => {
        const resources = [...(await wanted())];
        if (resources.length > 0) await kernel.features.acquireLocks(orchestratorCall(site, step), { feature_id: site.id, resources });
        return resources;
      },
      { retry },
    );
    return null;
  } catch (error) {
    if (error instanceof SlipwayError && error.code === "lock_conflict") return toFailure(error);
    throw error;
  }
}

function heldHere({ run }: Site, error: SlipwayError): boolean {
  return conflictingIn(toFailure(error)).every((id) => run.some(({ feature_id }) => feature_id === id));
}
