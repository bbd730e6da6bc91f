/**
 * Work on one name happens one after the other. A call that comes while one for the same name waits to begin is answered by that
 * one: it will see everything that has happened until then.
 */
export function inTurns<T>(work: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const latest = new Map<string, Promise<T>>();
  const waiting = new Map<string, Promise<T>>();

  async function begin(name: string, before: Promise<unknown> | undefined): Promise<T> {
    // The one before has told its own caller how it ended.
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
