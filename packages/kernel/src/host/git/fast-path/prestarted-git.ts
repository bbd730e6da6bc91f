import type { Child } from "../../launcher/child.ts";
import { killGroup } from "../process.ts";

/** A process that was started in advance and waits for its only input, with its own data. */
export interface Prestarted<T> {
  readonly child: Child;
  readonly own: T;
}

/** Keeps one prestarted process. Each is used once; an unused one is ended after `IDLE_MS`. */
export interface PrestartedPool<T> {
  /** The waiting process; null if there is none yet. */
  take(): Prestarted<T> | null;
  /** Starts another process shortly, after the current answer. */
  refill(): void;
}

const REFILL_MS = 10;
/** Shorter than the wait for a git process that might hold a lock. */
export const IDLE_MS = 1_000;

/** Idle processes that wait for input; they hold no lock. */
export const waitingProcesses = new Set<number>();

export function prestartedPool<T>(start: () => Promise<Prestarted<T>>, drop: (own: T) => void): PrestartedPool<T> {
  let ready: Prestarted<T> | null = null;
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
      // If it fails, the next caller finds none and starts its own process.
      setTimeout(() => void begin().catch(() => undefined), REFILL_MS).unref();
    },
  };
}

/** A process keeps this one alive only while it is in use. */
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

/** Pipes are sockets with ref and unref, which the types of a child process lack. */
function handlesOf(child: Child): { ref?: () => void; unref?: () => void }[] {
  return [child, child.stdin, child.stdout, child.stderr].filter((handle) => handle !== null) as Child[];
}
