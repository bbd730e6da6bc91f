import { setImmediate } from "node:timers/promises";

/** The calls that are under way, so that a server can end them before it lets go of the database. */
export interface InFlight {
  /** Aborted when the server closes. */
  readonly signal: AbortSignal;
  track<T>(call: Promise<T>): Promise<T>;
  /** Cancels what can be cancelled and waits for the rest. */
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
      // Answers are written by whoever waited for the calls; that comes first.
      await setImmediate();
    },
  };
}
