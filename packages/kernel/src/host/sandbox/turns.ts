import { setImmediate as nextLoop } from "node:timers/promises";

/** Long enough for some hundred links, short enough that nobody notices. */
const SLICE_MS = 5;

/** So few of anything are no piece of work to speak of. */
const ONE_PIECE = 16;

let line: Promise<void> = Promise.resolve();

/**
 * Waits for a turn of the event loop that nobody else of those who ask here has. Callbacks that become ready together run
 * together, so twenty short pieces of work without this are one long one.
 */
export function ownTurn(): Promise<void> {
  line = line.then(() => nextLoop());
  return line;
}

/** Calls the work for each item, in pieces that leave room for everything else. */
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
