/** Loaded in the module's process by tests that replace the clock. */
import { mock } from "node:test";

export function replaceClock(now: number): void {
  mock.timers.reset();
  mock.timers.enable({ apis: ["Date", "setTimeout", "setInterval"], now });
}

export function advanceClock(milliseconds: number): void {
  mock.timers.tick(milliseconds);
}

export function restoreClock(): void {
  mock.timers.reset();
}
