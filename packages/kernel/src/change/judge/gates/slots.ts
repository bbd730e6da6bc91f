import { SlipwayError } from "@slipway/durable/errors";

/** How many gates may run at once. Who finds no place waits, in the order of arrival, until one is free or nobody wants it any more. */
export interface GateSlots {
  within<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface Waiting {
  readonly enter: () => void;
}

/** For this process. One supervisor has a repository at a time, by its run lease, so there the limit is the repository's. */
export function gateSlots(places: number): GateSlots {
  const line: Waiting[] = [];
  let free = places;

  function leave(): void {
    const next = line.shift();
    if (next === undefined) free++;
    else next.enter();
  }

  async function enter(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted === true) throw stopped(signal);
    if (free > 0) return void free--;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { enter: resolve };
    const giveUp = () => {
      const position = line.indexOf(waiting);
      if (position >= 0) line.splice(position, 1);
      reject(stopped(signal));
    };
    line.push(waiting);
    signal?.addEventListener("abort", giveUp, { once: true });
    await promise.finally(() => signal?.removeEventListener("abort", giveUp));
  }

  return {
    async within(work, signal) {
      await enter(signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

function stopped(signal: AbortSignal | undefined): SlipwayError {
  return new SlipwayError("run_stopped", "The gate was stopped before it could start.", {}, { cause: signal?.reason });
}
