import type { Clock } from "../environment.ts";
import type { Sleep } from "../timer.ts";

export interface VirtualTime {
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** Lets time pass timer by timer; everything that a timer triggers is done before the next one fires. */
  advance(ms: number): Promise<void>;
  /** Sets the wall clock forward or back without affecting timers. */
  jump(ms: number): void;
  /** Runs everything that needs no time. */
  settle(): Promise<void>;
}

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

export function virtualTime(): VirtualTime {
  let wall = 1_700_000_000_000;
  let monotonic = 0;
  const timers = new Set<Timer>();

  const pass = (ms: number) => {
    wall += ms;
    monotonic += ms;
  };
  return {
    clock: { now: () => wall, monotonic: () => monotonic },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted || ms <= 0) return resolve();
        const fire = () => {
          timers.delete(timer);
          resolve();
        };
        const timer = { at: monotonic + ms, fire };
        timers.add(timer);
        signal.addEventListener("abort", fire, { once: true });
      }),
    async advance(ms) {
      const end = monotonic + ms;
      await settle();
      for (;;) {
        const next = [...timers].filter((timer) => timer.at <= end).toSorted((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        pass(Math.max(0, next.at - monotonic));
        next.fire();
        await settle();
      }
      pass(end - monotonic);
      await settle();
    },
    jump(ms) {
      wall += ms;
    },
    settle,
  };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await new Promise((resolve) => void setImmediate(resolve));
}
