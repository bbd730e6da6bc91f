/** Resolves when the time has passed or the signal is aborted; never rejects. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** setTimeout fires immediately for a longer delay. */
const LONGEST_MS = 2 ** 31 - 1;

export const systemSleep: Sleep = async (ms, signal) => {
  for (let left = ms; left > 0 && !signal.aborted; left -= LONGEST_MS) await once(Math.min(left, LONGEST_MS), signal);
};

function once(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}

export interface Pulse {
  next(): Promise<void>;
  beat(): void;
}

/** Each beat resolves all pending `next()` promises. */
export function createPulse(): Pulse {
  let awaited: PromiseWithResolvers<void> | null = null;
  return {
    next: () => (awaited ??= Promise.withResolvers()).promise,
    beat() {
      awaited?.resolve();
      awaited = null;
    },
  };
}
