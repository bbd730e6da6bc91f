import { setImmediate as turn } from "node:timers/promises";

/**
 * Files made from rows that nobody waits for: they are written a moment later, in the order given, when the process has nothing better to
 * do. Who dies before that makes them again from the rows.
 */
export interface Backlog {
  /** Throws what went wrong with an earlier one: whoever cannot write does not go on. */
  later(write: () => Promise<unknown>): void;
  /** Everything is written, or the reason why not is thrown. */
  settled(): Promise<void>;
}

/** Longer than the work between two waits of a run mostly takes, and nothing to a person. */
const PUT_OFF_MS = 100;

export function openBacklog(putOffMs: number = PUT_OFF_MS): Backlog {
  const due: (() => Promise<unknown>)[] = [];
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> | null = null;
  let trouble: { readonly error: unknown } | null = null;

  async function writeAll(): Promise<void> {
    try {
      for (let write = due.shift(); write !== undefined; write = due.shift()) {
        await write();
        // Whatever else there is to do goes first.
        await turn();
      }
    } catch (error) {
      trouble = { error };
    } finally {
      writing = null;
    }
  }

  function begin(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    return (writing ??= writeAll());
  }

  function tell(): void {
    if (trouble === null) return;
    const { error } = trouble;
    trouble = null;
    throw error;
  }

  return {
    later(write) {
      tell();
      due.push(write);
      if (writing === null) timer ??= setTimeout(() => void begin(), putOffMs);
    },
    async settled() {
      while (due.length > 0 || writing !== null) {
        await begin();
        tell();
      }
      tell();
    },
  };
}
