import { availableParallelism } from "node:os";
import { SlipwayError } from "../../schema/errors.ts";
import { supervisorSettings } from "../../config/supervisor.ts";
import { trimWithin } from "./locks/store.ts";
import { whileLocked } from "./locks/wait.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";

export interface LockRequest {
  readonly resource: string;
  readonly feature_id: string;
  readonly wait_timeout_seconds?: number | undefined;
}

export interface LockWait {
  readonly resources: readonly string[];
  readonly wait_timeout_seconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Retries between transactions until the locks are free, or until the timeout of the policy or the caller. */
export async function waitForLocks<T>(dependencies: FeatureDependencies, wait: LockWait, attempt: () => Promise<T>): Promise<T> {
  const { db, clock, random, configuration } = dependencies;
  const { lock_wait_timeout_seconds, lock_acquire_backoff_seconds: backoff } = supervisorSettings(
    configuration.policy,
    availableParallelism(),
  );
  const seconds = configuration.policy.locks.acquire_behavior === "fail" ? 0 : (wait.wait_timeout_seconds ?? lock_wait_timeout_seconds);
  await db.transaction().execute((tx) => trimWithin(tx, wait.resources, clock.now()));
  const sleep = async (ms: number) => {
    await dependencies.sleep(ms, wait.signal).catch(() => undefined);
    if (wait.signal?.aborted === true) throw stopped(wait.resources);
  };
  return whileLocked({ clock, sleep, random, backoff, timeoutMs: seconds * 1000 }, attempt);
}

function stopped(resources: readonly string[]): SlipwayError {
  return new SlipwayError("run_stopped", `The call was cancelled while waiting for ${resources.join(", ")}; no lock was taken.`);
}
