import type { Clock } from "@slipway/durable/environment";
import { SlipwayError } from "../../../schema/errors.ts";

/** As in policy.yaml: the nth wait is initial × factorⁿ, at most max, plus or minus jitter. */
export interface Backoff {
  readonly initial_seconds: number;
  readonly factor: number;
  readonly max_seconds: number;
  readonly jitter: number;
}

export interface LockWaiting {
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<void>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly backoff: Backoff;
  /** 0: do not wait at all. */
  readonly timeoutMs: number;
}

/** Retries while another feature holds the lock, at growing intervals with jitter, until the timeout. */
export async function whileLocked<T>(waiting: LockWaiting, attempt: () => Promise<T>): Promise<T> {
  const { clock, sleep, random, backoff, timeoutMs } = waiting;
  // Monotonic: setting the clock back must not extend the wait.
  const deadline = clock.monotonic() + timeoutMs;
  for (let number = 0; ; number++) {
    try {
      return await attempt();
    } catch (error) {
      const remainingMs = deadline - clock.monotonic();
      if (!(error instanceof SlipwayError) || error.code !== "lock_conflict" || remainingMs <= 0) throw error;
      await sleep(Math.min(delayMs(backoff, number, random()), remainingMs));
    }
  }
}

/** With jitter, so that waiting processes do not collide repeatedly. */
export function delayMs({ initial_seconds, factor, max_seconds, jitter }: Backoff, number: number, chance: number): number {
  return Math.min(initial_seconds * factor ** number, max_seconds) * 1000 * (1 + jitter * (2 * chance - 1));
}
