import { setImmediate } from "node:timers/promises";

/** The running calls, so that a server can end them before it closes the database. */
export interface InFlight {
  /** Aborted when the server closes. */
  readonly signal: AbortSignal;
  track<T>(call: Promise<T>): Promise<T>;
  /** Cancels the calls that can be cancelled and waits for all. */
  drain(): Promise<void>;
}

export function inFlight(): InFlight {
  const closing = new AbortController();
  const calls = new Set<Promise<unknown>>();
  return {
    signal: closing.signal,
    async track(call) {
      calls.add(call);
      try {
        return await call;
      } finally {
        calls.delete(call);
      }
    },
    async drain() {
      closing.abort();
      while (calls.size > 0) await Promise.allSettled(calls);
      // Let the callers write their answers first.
      await setImmediate();
    },
  };
}
