import { availableParallelism } from "node:os";
import { SlipwayError } from "@slipway/durable/errors";
import { supervisorSettings } from "../../config/supervisor.ts";
import { trimWithin } from "./locks/store.ts";
import { whileLocked } from "./locks/wait.ts";
import type { Rooms } from "../feature/dependencies.ts";

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

/** Tries until the locks are free, between transactions, as long as the policy and the caller will wait. */
export async function waitForLocks<T>(rooms: Rooms, wait: LockWait, attempt: () => Promise<T>): Promise<T> {
  const { db, clock, random, configuration } = rooms;
  const { lock_wait_timeout_seconds, lock_acquire_backoff_seconds: backoff } = supervisorSettings(
    configuration.policy,
    availableParallelism(),
  );
  const seconds = configuration.policy.locks.acquire_behavior === "fail" ? 0 : (wait.wait_timeout_seconds ?? lock_wait_timeout_seconds);
  await db.transaction().execute((tx) => trimWithin(tx, wait.resources, clock.now()));
  const sleep = async (ms: number) => {
    await rooms.sleep(ms, wait.signal).catch(() => undefined);
    if (wait.signal?.aborted === true) throw stopped(wait.resources);
  };
  return whileLocked({ clock, sleep, random, backoff, timeoutMs: seconds * 1000 }, attempt);
}

function stopped(resources: readonly string[]): SlipwayError {
  return new SlipwayError(
    "run_stopped",
    `Waiting for ${resources.join(", ")} was given up because the call was cancelled; nothing was taken.`,
  );
}
