/** A number of places; who finds none waits, in the order of arrival. */
export interface Slots {
  within<T>(work: () => Promise<T>): Promise<T>;
}

export function createSlots(places: number): Slots {
  const line: (() => void)[] = [];
  let free = places;
  return {
    async within(work) {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => void line.push(resolve));
      try {
        return await work();
      } finally {
        const next = line.shift();
        if (next === undefined) free++;
        else next();
      }
    },
  };
}
