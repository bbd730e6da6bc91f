import type { Step } from "../router/state.ts";

export const MAX_CONCURRENT = 4;

const CAPS: Partial<Record<Step, number>> = { "1": 4, "3b": 3, "5": MAX_CONCURRENT, "6": MAX_CONCURRENT, "7": 3 };

/** How many agents of a step run at once. */
export function concurrencyOf(step: Step): number {
  return CAPS[step] ?? 1;
}

/** A wave in parts of at most four, in its order. */
export function subWaves<T>(wave: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < wave.length; at += MAX_CONCURRENT) parts.push(wave.slice(at, at + MAX_CONCURRENT));
  return parts;
}
