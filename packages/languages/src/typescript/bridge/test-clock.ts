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
  // Loaded for every call, because functions of the module are dropped between runs of a property.
  const clock = () => loadValues(path) as unknown as ModuleClock;
  let isReplaced = false;
  timers.enable = (options) => {
    enable(options);
    isReplaced = true;
    clock().replaceClock(Number(options?.now ?? 0));
  };
  timers.tick = (milliseconds = 1) => {
    if (isReplaced) clock().advanceClock(milliseconds);
    tick(milliseconds);
  };
  timers.reset = () => {
    if (isReplaced) clock().restoreClock();
    isReplaced = false;
    reset();
  };
}
