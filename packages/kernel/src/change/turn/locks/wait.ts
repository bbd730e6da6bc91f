import type { Clock } from "@slipway/durable/environment";
import { SlipwayError } from "@slipway/durable/errors";

/** As policy.yaml has it: the nth wait is initial × factorⁿ, at most max, give or take jitter. */
export interface Backoff {
  readonly initial_seconds: number;
  readonly factor: number;
  readonly max_seconds: number;
  readonly jitter: number;
}

export interface Waiting {
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<void>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly backoff: Backoff;
  /** 0: do not wait at all. */
  readonly timeoutMs: number;
}

/** Tries again while somebody else holds the lock, at growing and uneven intervals, until the time is up. */
export async function whileLocked<T>(waiting: Waiting, attempt: () => Promise<T>): Promise<T> {
  const { clock, sleep, random, backoff, timeoutMs } = waiting;
  // Monotonic: a clock that is put back must not prolong the wait.
  const deadline = clock.monotonic() + timeoutMs;
  for (let number = 0; ; number++) {
    try {
      return await attempt();
    } catch (error) {
      const left = deadline - clock.monotonic();
      if (!(error instanceof SlipwayError) || error.code !== "lock_conflict" || left <= 0) throw error;
      await sleep(Math.min(delayMs(backoff, number, random()), left));
    }
  }
}

/** Uneven, so that those who wait do not keep meeting. */
export function delayMs({ initial_seconds, factor, max_seconds, jitter }: Backoff, number: number, chance: number): number {
  return Math.min(initial_seconds * factor ** number, max_seconds) * 1000 * (1 + jitter * (2 * chance - 1));
}
