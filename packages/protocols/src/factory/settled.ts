/** Of a shop: every file that was put off is written. */
export interface Settling {
  readonly settled: () => Promise<void>;
}

/** A run that has ended is not taken up again, and nobody would write what it had put off. */
export async function settledAtLast<T>({ settled }: Settling, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await settled();
  }
}
