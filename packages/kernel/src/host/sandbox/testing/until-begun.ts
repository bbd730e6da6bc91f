/** The last one is for a machine that is busy with other tests. */
const LIMITS_MS = [1_000, 5_000, 25_000];

/**
 * Runs something that is stopped at a limit of time, with longer and longer limits, until it began before it was stopped:
 * on a busy machine the start alone may take seconds. Returns the last result, begun or not.
 */
export async function untilBegun<T>(run: (limitMs: number) => Promise<T>, hasBegun: (result: T) => boolean): Promise<T> {
  const [first = 0, ...longer] = LIMITS_MS;
  let result = await run(first);
  for (const limitMs of longer) if (!hasBegun(result)) result = await run(limitMs);
  return result;
}
