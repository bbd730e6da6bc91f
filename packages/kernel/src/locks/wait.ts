import type { Clock } from "@slipway/durable/environment";
import { SlipwayError } from "@slipway/durable/errors";

export interface Backoff {
  readonly firstMs: number;
  readonly factor: number;
  readonly maxMs: number;
}

export interface Waiting {
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<void>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly backoff?: Backoff;
  /** 0: do not wait at all. */
  readonly timeoutMs: number;
}

const BACKOFF: Backoff = { firstMs: 50, factor: 2, maxMs: 5_000 };

/** Tries again while somebody else holds the lock, at growing and uneven intervals, until the time is up. */
export async function whileLocked<T>(waiting: Waiting, attempt: () => Promise<T>): Promise<T> {
  const { clock, sleep, random, backoff = BACKOFF, timeoutMs } = waiting;
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

/** Half of the step is certain, half is chance, so that waiting holders do not keep meeting. */
export function delayMs({ firstMs, factor, maxMs }: Backoff, number: number, chance: number): number {
  return Math.min(firstMs * factor ** number, maxMs) * (0.5 + chance / 2);
}
