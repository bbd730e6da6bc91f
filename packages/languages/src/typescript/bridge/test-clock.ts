import { mock } from "node:test";
import { loadValues } from "./remote-module.ts";

interface ModuleClock {
  replaceClock(now: number): void;
  advanceClock(milliseconds: number): void;
  restoreClock(): void;
}

/** `mock.timers` of the tests also replaces the clock of the module's process. */
export function shareClock(path: string): void {
  const { timers } = mock;
  const [enable, tick, reset] = [timers.enable.bind(timers), timers.tick.bind(timers), timers.reset.bind(timers)];
  let clock: ModuleClock | null = null;
  timers.enable = (options) => {
    enable(options);
    clock ??= loadValues(path) as unknown as ModuleClock;
    clock.replaceClock(Number(options?.now ?? 0));
  };
  timers.tick = (milliseconds = 1) => {
    clock?.advanceClock(milliseconds);
    tick(milliseconds);
  };
  timers.reset = () => {
    clock?.restoreClock();
    reset();
  };
}
