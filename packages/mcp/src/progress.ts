import type { ProgressNote } from "@slipway/kernel/tools/tool";

export interface ProgressReporter {
  note(note: ProgressNote): void;
  stop(): void;
}

export interface ProgressMessage {
  readonly progress: number;
  readonly total?: number;
  readonly message: string;
}

/**
 * Forwards the progress notes of a tool; the number always grows, as the protocol requires. In between it sends a keep-alive at
 * each interval, because clients time out calls without progress.
 */
export function progressTo(send: (message: ProgressMessage) => void, name: string, everyMs: number): ProgressReporter {
  let last = 0;
  let total: number | undefined;
  let silent = 0;
  const advance = (progress: number, message: string) => {
    last = Math.max(progress, last + Number.EPSILON * Math.max(1, last));
    send({ progress: last, ...(total === undefined ? {} : { total }), message });
  };
  const timer = setInterval(() => {
    silent += 1;
    // Between two notes the number approaches the next integer without reaching it.
    advance(Math.floor(last) + silent / (silent + 1), `${name} is still running`);
  }, everyMs);
  timer.unref();
  return {
    note({ done, total: of, message }) {
      silent = 0;
      total = of;
      advance(done, message);
    },
    stop: () => clearInterval(timer),
  };
}
