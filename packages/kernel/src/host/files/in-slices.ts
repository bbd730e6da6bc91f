import { setImmediate as nextLoop } from "node:timers/promises";

const SLICE_MS = 5;

/** Does synchronous work that pauses often, without blocking the event loop for long. False if the deadline has passed before its end. */
export async function inSlices(work: Iterable<void>, deadline = Number.POSITIVE_INFINITY): Promise<boolean> {
  let ends = performance.now() + SLICE_MS;
  for (const _ of work) {
    if (performance.now() < ends) continue;
    if (performance.now() > deadline) return false;
    await nextLoop();
    ends = performance.now() + SLICE_MS;
  }
  return true;
}
