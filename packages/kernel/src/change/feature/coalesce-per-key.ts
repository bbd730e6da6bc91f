/**
 * Serialises the work on each name. A call that arrives while another call for the same name has not started yet shares that call's result:
 * it sees everything that has happened until it starts.
 */
export function inTurns<T>(work: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const latest = new Map<string, Promise<T>>();
  const waiting = new Map<string, Promise<T>>();

  async function begin(name: string, before: Promise<unknown> | undefined): Promise<T> {
    // The previous call has already reported its error to its own caller.
    await before?.catch(() => undefined);
    waiting.delete(name);
    return work(name);
  }

  return async (name) => {
    const next = waiting.get(name);
    if (next !== undefined) return next;
    const turn = begin(name, latest.get(name));
    latest.set(name, turn);
    waiting.set(name, turn);
    try {
      return await turn;
    } finally {
      if (latest.get(name) === turn) latest.delete(name);
    }
  };
}
