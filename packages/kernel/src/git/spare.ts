import type { ChildProcess } from "node:child_process";
import { killGroup } from "./process.ts";

/** Something that was started before it is needed. */
interface Ready<T> {
  readonly child: ChildProcess;
  readonly with: T;
}

/** A process that waits for its only input. Each is used once; after a use the next one is started, and ended when nobody comes. */
export interface Spare<T> {
  /** One that waits, or null when there is none yet. */
  take(): Ready<T> | null;
  /** Soon, when whoever asks has been answered, another one is started. */
  refill(): void;
}

const REFILL_MS = 10;
const IDLE_MS = 1_000;

export function spare<T>(start: () => Ready<T>, drop: (what: T) => void): Spare<T> {
  let ready: Ready<T> | null = null;
  let timer: NodeJS.Timeout | undefined;

  function begin(): void {
    const started = start();
    ready = started;
    hold(started.child, "unref");
    started.child.once("exit", () => {
      if (ready === started) end();
    });
    timer = setTimeout(end, IDLE_MS).unref();
  }

  function end(): void {
    if (ready === null) return;
    const { child, with: what } = ready;
    ready = null;
    killGroup(child, "SIGKILL");
    drop(what);
  }

  return {
    take() {
      clearTimeout(timer);
      const taken = ready;
      ready = null;
      if (taken !== null) hold(taken.child, "ref");
      return taken;
    },
    refill() {
      clearTimeout(timer);
      if (ready === null) timer = setTimeout(begin, REFILL_MS).unref();
    },
  };
}

/** Only while it is used does it keep this process from ending. */
export function hold(child: ChildProcess, how: "ref" | "unref"): void {
  for (const handle of [child, child.stdin, child.stdout, child.stderr]) if (handle !== null && how in handle) (handle as ChildProcess)[how]();
}
