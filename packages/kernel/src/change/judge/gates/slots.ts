import { SlipwayError } from "../../../schema/errors.ts";

/** Limits how many gates run at once. Others wait in the order of arrival until a slot is free or their signal aborts. */
export interface GateSlots {
  within<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface Waiting {
  readonly enter: () => void;
}

/** Per process. A repository has one supervisor at a time (run lease), so the limit holds for its gates. */
export function gateSlots(slots: number): GateSlots {
  const line: Waiting[] = [];
  let free = slots;

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
