import type { Durability } from "./durability.ts";
import { SlipwayError } from "./errors.ts";
import type { Execution } from "./execution.ts";
import type { Stream } from "./journal.ts";
import type { RunSpan } from "./telemetry.ts";

export interface Ordered {
  readonly reason: string;
  readonly by: string;
}

/** One run in progress: the root or a child. */
export interface Scope {
  readonly execution: Execution;
  readonly runId: string;
  readonly workflow: string;
  readonly durability: Durability;
  readonly stream: Stream;
  readonly span: RunSpan;
  readonly children: Set<Scope>;
  /** Names used so far; a second use is refused. */
  readonly names: Set<string>;
  /** Open questions. */
  readonly asks: Set<string>;
  /** Bodies and timers to abort when the scope ends. */
  readonly aborts: Set<AbortController>;
  readonly cancelled: PromiseWithResolvers<Ordered>;
  /** Strands of the run's function that are running, in the function or in a step; not those that wait for an answer or a child. */
  strands: number;
  /** Steps, sleeps and back-offs in progress. */
  running: number;
  ended: boolean;
}

type OpenedRun = Pick<Scope, "runId" | "workflow" | "durability" | "stream" | "span">;

export function openScope(execution: Execution, run: OpenedRun, parent: Scope | null): Scope {
  const scope: Scope = {
    ...run,
    execution,
    children: new Set(),
    names: new Set(),
    asks: new Set(),
    aborts: new Set(),
    cancelled: Promise.withResolvers(),
    strands: 1,
    running: 0,
    ended: false,
  };
  parent?.children.add(scope);
  execution.scopes.set(run.runId, scope);
  return scope;
}

/** Afterwards no promise of the scope settles: the run's function stays where it is, as after a crash. */
export function endScope(scope: Scope, reason: unknown): void {
  if (scope.ended) return;
  scope.ended = true;
  scope.execution.scopes.delete(scope.runId);
  for (const abort of scope.aborts) abort.abort(reason);
  for (const child of scope.children) endScope(child, reason);
  scope.span.span.end();
}

/** Gives aborted bodies some time to end. A body that does not end is abandoned; the fence refuses its writes. */
export async function untilQuiet(scope: Scope): Promise<void> {
  const { parts, quieter } = scope.execution;
  const grace = new AbortController();
  const timeout = parts.sleep(parts.graceMs, grace.signal).then(() => grace.abort());
  while (busy(scope) && !grace.signal.aborted) await Promise.race([quieter.next(), timeout]);
  grace.abort();
}

function busy(scope: Scope): boolean {
  return scope.running > 0 || [...scope.children].some(busy);
}

/** A promise for the run's function: settles like `work`, but never after the scope has ended. */
export function live<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      if (scope.ended) return;
      work().then(
        (value) => {
          if (!scope.ended) resolve(value);
        },
        (error: unknown) => {
          if (!scope.ended && !scope.execution.haltsOn(error)) reject(error);
        },
      );
    };
    const breath = scope.execution.breathe();
    if (breath === undefined) begin();
    else void breath.then(begin);
  });
}

/** For the engine's own reads and writes: their failure halts the execution and never reaches the run's function. */
export async function durably<T>(scope: Scope, work: Promise<T>): Promise<T> {
  const value = await work.catch((error: unknown) => {
    if (!scope.ended) scope.execution.conclude({ status: "halted", error });
    throw error;
  });
  assertLive(scope);
  return value;
}

/** Stops an operation whose scope has ended; `live` swallows the error. */
export function assertLive(scope: Scope): void {
  if (scope.ended) throw new SlipwayError("run_stopped", `Run ${scope.runId} is no longer driven by this process.`);
}

/** Counts `work` as activity, so that the run does not count as waiting. */
export async function active<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
  scope.running++;
  try {
    return await work();
  } finally {
    scope.running--;
    scope.execution.quieter.beat();
    scope.execution.considerWaiting();
  }
}

/** Counts the strand as idle until `work` is done. */
export async function whileIdle<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
  scope.strands--;
  scope.execution.considerWaiting();
  try {
    return await work();
  } finally {
    scope.strands++;
  }
}
