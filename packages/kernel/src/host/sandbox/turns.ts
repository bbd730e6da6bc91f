import { setImmediate as nextLoop } from "node:timers/promises";

/** Enough for some hundred links, and too short to be noticed. */
const SLICE_MS = 5;

/** Fewer items need no turn of their own. */
const ONE_PIECE = 16;

let line: Promise<void> = Promise.resolve();

/**
 * Waits for a separate turn of the event loop for each caller. Callbacks that become ready together run
 * together, so twenty short tasks would block like one long one.
 */
export function ownTurn(): Promise<void> {
  line = line.then(() => nextLoop());
  return line;
}

/** Calls `work` for each item, yielding to the event loop between slices. */
export async function inSlices<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
  if (items.length > ONE_PIECE) await ownTurn();
  let ends = performance.now() + SLICE_MS;
  for (const item of items) {
    if (performance.now() >= ends) {
      await ownTurn();
      ends = performance.now() + SLICE_MS;
    }
    work(item);
  }
}
