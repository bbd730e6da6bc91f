import type { Child } from "../../launcher/child.ts";
import { killGroup } from "../process.ts";

/** A process that was started before it is needed and waits for its only input, with what belongs to it. */
export interface Spare<T> {
  readonly child: Child;
  readonly own: T;
}

/** Each is used once. After a use the next one is started, and ended when nobody comes for a moment. */
export interface Spares<T> {
  /** One that waits, or null when there is none yet. */
  take(): Spare<T> | null;
  /** Soon, when whoever asks has been answered, another one is started. */
  refill(): void;
}

const REFILL_MS = 10;
/** Shorter than anybody waits for a git process that might hold a lock. */
export const IDLE_MS = 1_000;

/** Processes that wait for us: they hold no lock. */
export const waitingProcesses = new Set<number>();

export function spares<T>(start: () => Promise<Spare<T>>, drop: (own: T) => void): Spares<T> {
  let ready: Spare<T> | null = null;
  let coming = false;
  let idle: NodeJS.Timeout | undefined;

  async function begin(): Promise<void> {
    const started = await start().finally(() => (coming = false));
    ready = started;
    letWait(started.child);
    started.child.once("exit", () => ready === started && end());
    idle = setTimeout(end, IDLE_MS).unref();
  }

  function end(): void {
    if (ready === null) return;
    const { child, own } = ready;
    ready = null;
    killGroup(child, "SIGKILL");
    drop(own);
  }

  return {
    take() {
      clearTimeout(idle);
      const taken = ready;
      ready = null;
      if (taken !== null) use(taken.child);
      return taken;
    },
    refill() {
      if (ready !== null || coming) return;
      coming = true;
      // Where it fails, whoever comes next finds none and starts one itself.
      setTimeout(() => void begin().catch(() => undefined), REFILL_MS).unref();
    },
  };
}

/** Only while it is used does a process keep this one from ending. */
export function use(child: Child): void {
  waitingProcesses.delete(child.pid ?? 0);
  for (const handle of handlesOf(child)) handle.ref?.();
}

export function letWait(child: Child): void {
  const pid = child.pid ?? 0;
  waitingProcesses.add(pid);
  if (!watched.has(child)) child.once("exit", () => waitingProcesses.delete(pid));
  watched.add(child);
  for (const handle of handlesOf(child)) handle.unref?.();
}

const watched = new WeakSet<Child>();

/** Pipes are sockets, which the types of a child process do not say. */
function handlesOf(child: Child): { ref?: () => void; unref?: () => void }[] {
  return [child, child.stdin, child.stdout, child.stderr].filter((handle) => handle !== null) as Child[];
}
