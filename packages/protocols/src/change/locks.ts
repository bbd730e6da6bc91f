import type { Failure } from "@slipway/durable/errors";
import { SlipwayError } from "@slipway/agents/errors";
import { toFailure } from "@slipway/durable/errors";
import type { Plan } from "@slipway/kernel/change/plan/schema";
import { mustPerform } from "./perform.ts";
import { conflictingIn } from "./collision-rules.ts";
import { orchestratorCall, type ChangeRun } from "./change-run.ts";

/** Acquires the locks that a plan needs. Returns null, or why it could not get them all. */
export function holdLocks(change: ChangeRun, step: string, plan: Plan): Promise<Failure | null> {
  return holdResources(change, step, async () => change.services.kernel.features.locksFor(plan));
}

/** Acquires the locks of the accepted plan. */
export function holdPlanLocks(change: ChangeRun, step: string): Promise<Failure | null> {
  const { features } = change.services.kernel;
  return holdResources(change, step, async () => features.locksFor(await features.plan(change.id)));
}

/** Releases the locks of a plan that cannot be accepted now. Submitting it again acquires them again. */
export async function giveBackLocks(change: ChangeRun, name: string, plan: Plan): Promise<void> {
  const { features } = change.services.kernel;
  if (features.locksFor(plan).length > 0)
    await mustPerform(change, `unlock:${name}`, (call) => features.giveBackLocks(call, { feature_id: change.id, plan_json: plan }));
}

/** Waits a bounded time for a lock of another run. A lock of the same run is not waited for here: `arbitrate` decides. */
export async function holdResources(change: ChangeRun, step: string, wanted: () => Promise<readonly string[]>): Promise<Failure | null> {
  const { settings, kernel } = change.services;
  const { lock_wait_timeout_seconds: seconds, lock_acquire_backoff_seconds: backoff } = settings;
  const retry = {
    attempts: Math.max(1, Math.ceil(seconds / backoff.max_seconds)),
    backoffMs: backoff.initial_seconds * 1000,
    factor: backoff.factor,
    maxBackoffMs: backoff.max_seconds * 1000,
    when: (error: unknown) => error instanceof SlipwayError && error.code === "lock_conflict" && !heldHere(change, error),
  };
  try {
    await change.ctx.step(
      step,
      async () => {
        const resources = [...(await wanted())];
        if (resources.length > 0) await kernel.features.acquireLocks(orchestratorCall(change, step), { feature_id: change.id, resources });
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

function heldHere({ siblings }: ChangeRun, error: SlipwayError): boolean {
  return conflictingIn(toFailure(error)).every((id) => siblings.some(({ feature_id }) => feature_id === id));
}
