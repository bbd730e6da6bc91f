/** Work that loads the machine. What exceeds the number of turns waits, in order. */
export interface Turns {
  /** Beside other work. */
  beside<T>(work: () => Promise<T>): Promise<T>;
  /** While no other work runs. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly needs: number;
  readonly start: () => void;
}

export function openTurns(count: number): Turns {
  const waiting: Waiting[] = [];
  let used = 0;

  function startNext(): void {
    for (let [first] = waiting; first !== undefined && used + first.needs <= count; [first] = waiting) {
      waiting.shift();
      used += first.needs;
      first.start();
    }
  }

  async function take<T>(needs: number, work: () => Promise<T>): Promise<T> {
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    waiting.push({ needs, start });
    startNext();
    await started;
    try {
      return await work();
    } finally {
      used -= needs;
      startNext();
    }
  }

  return { beside: (work) => take(1, work), alone: (work) => take(count, work) };
}
