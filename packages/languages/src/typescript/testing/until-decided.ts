const MOST_TIMES = 4;

/** Measures again while the times decide nothing, as on a busy machine. A decision is never questioned. */
export async function untilDecided<T>(measure: () => Promise<T>, isOpen: (result: T) => boolean): Promise<T> {
  let result = await measure();
  for (let times = 1; times < MOST_TIMES && isOpen(result); times++) result = await measure();
  return result;
}
