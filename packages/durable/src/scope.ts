import type { Durability } from "./durability.ts";
import { SlipwayError } from "./errors.ts";
import type { Execution } from "./execution.ts";
import type { Stream } from "./journal.ts";
import type { RunSpan } from "./telemetry.ts";

export interface Ordered {
  readonly reason: string;
  readonly by: string;
}

/** One run that is being carried out: the root or a child. */
export interface Scope {
  readonly execution: Execution;
  readonly runId: string;
  readonly workflow: string;
  readonly durability: Durability;
  readonly stream: Stream;
  readonly span: RunSpan;
  readonly children: Set<Scope>;
  /** Names used so far, to refuse the second use. */
  readonly names: Set<string>;
  /** Questions that wait for an answer. */
  readonly asks: Set<string>;
  /** Bodies and timers to abort when the scope ends. */
  readonly aborts: Set<AbortController>;
  readonly cancelled: PromiseWithResolvers<Ordered>;
  /** Strands of the run's function that are at work, here or in a step; a strand that waits for an answer or for a child is not. */
  strands: number;
  /** Steps, sleeps and back-offs under way. */
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

/** From here on nothing in the scope settles any more. The run's function is left where it stands, as a crash would leave it. */
export function endScope(scope: Scope, reason: unknown): void {
  if (scope.ended) return;
  scope.ended = true;
  scope.execution.scopes.delete(scope.runId);
  for (const abort of scope.aborts) abort.abort(reason);
  for (const child of scope.children) endScope(child, reason);
  scope.span.span.end();
}

/** Bodies that were aborted get some time to end; a body that does not is left behind, shut out by the fence. */
export async function untilQuiet(scope: Scope): Promise<void> {
  const { parts, quieter } = scope.execution;
  const enough = new AbortController();
  const patience = parts.sleep(parts.graceMs, enough.signal).then(() => enough.abort());
  while (busy(scope) && !enough.signal.aborted) await Promise.race([quieter.next(), patience]);
  enough.abort();
}

function busy(scope: Scope): boolean {
  return scope.running > 0 || [...scope.children].some(busy);
}

/** What a run's function gets: settles like `work`, but never once the scope has ended. */
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

/** The engine's own reads and writes: when they fail the whole execution halts; it is not the run's business. */
export async function durably<T>(scope: Scope, work: Promise<T>): Promise<T> {
  const value = await work.catch((error: unknown) => {
    if (!scope.ended) scope.execution.conclude({ status: "halted", error });
    throw error;
  });
  assertLive(scope);
  return value;
}

/** Stops an operation whose scope has ended meanwhile; `live` swallows the error. */
export function assertLive(scope: Scope): void {
  if (scope.ended) throw new SlipwayError("run_stopped", `Run ${scope.runId} is not being carried out any more.`);
}

/** Counts as activity, so that the run is not taken to be waiting. */
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

/** The strand stands still until `work` is done. */
export async function standing<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
  scope.strands--;
  scope.execution.considerWaiting();
  try {
    return await work();
  } finally {
    scope.strands++;
  }
}
