import type { Tracer } from "@opentelemetry/api";
import { SlipwayError, type Failure } from "./errors.ts";
import { haltsRun } from "./failures.ts";
import type { Inbox } from "./inbox.ts";
import type { Fence, JournalParts } from "./journal.ts";
import type { LeaseParts } from "./lease.ts";
import { endScope, type Ordered, type Scope } from "./scope.ts";
import { createPulse, type Pulse, type Sleep } from "./timer.ts";

/** The dependencies of an engine. */
export interface Parts extends JournalParts, LeaseParts {
  readonly inbox: Inbox;
  readonly kernel: unknown;
  readonly sleep: Sleep;
  readonly pollMs: number;
  readonly graceMs: number;
  readonly tracer: Tracer;
  readonly onStepStart: (runId: string, name: string) => void;
}

/** Why an execution ended. */
export type RunEnding =
  | { readonly status: "completed"; readonly value: string }
  | { readonly status: "failed"; readonly failure: Failure }
  | { readonly status: "waiting"; readonly questions: readonly OpenAsk[] }
  | ({ readonly status: "stopped" | "cancelled" } & Ordered)
  | { readonly status: "halted"; readonly error: unknown };

export interface OpenAsk {
  readonly runId: string;
  readonly name: string;
}

/** One process that drives one tree of runs under one lease. */
export interface Execution {
  readonly parts: Parts;
  readonly fence: Fence;
  /** Live scopes by run id. */
  readonly scopes: Map<string, Scope>;
  /** Open `until` calls, as `run id#name`. */
  readonly waits: Set<string>;
  /** Beats when answers may have arrived. */
  readonly pulse: Pulse;
  /** Beats to poll for answers and orders now. */
  readonly poke: Pulse;
  /** Beats when a step, sleep or back-off has ended. */
  readonly quieter: Pulse;
  readonly ended: Promise<RunEnding>;
  /** Only the first call counts. */
  conclude(ending: RunEnding): void;
  /** True if the error comes from the storage or the lease and not from the run; it then ends the execution. */
  haltsOn(error: unknown): boolean;
  /** Yields to timers and I/O if steps have blocked the event loop, so that the lease is renewed in time. */
  breathe(): Promise<void> | undefined;
  /** Call after a change that an `until` of the run may wait for. */
  moved(): void;
  /** Ends the execution as "waiting" if only answers can continue it. */
  considerWaiting(): void;
}

const BREATHE_EVERY_MS = 20;

export function createExecution(parts: Parts, fence: Fence, whenWaiting: "return" | "wait"): Execution {
  const { promise: ended, resolve } = Promise.withResolvers<RunEnding>();
  const scopes = new Map<string, Scope>();
  let checking = false;
  let looked = false;
  let breathedAt = parts.clock.monotonic();

  const execution: Execution = {
    parts,
    fence,
    scopes,
    waits: new Set(),
    pulse: createPulse(),
    poke: createPulse(),
    quieter: createPulse(),
    ended,
    conclude(ending) {
      resolve(ending);
      const root = scopes.get(fence.rootRunId);
      if (root !== undefined) endScope(root, abortReason(ending));
    },
    haltsOn(error) {
      const halts = haltsRun(error);
      if (halts) execution.conclude({ status: "halted", error });
      return halts;
    },
    breathe() {
      if (parts.clock.monotonic() - breathedAt < BREATHE_EVERY_MS) return undefined;
      breathedAt = parts.clock.monotonic();
      return new Promise((resolve) => void setImmediate(resolve));
    },
    moved() {
      looked = false;
    },
    considerWaiting() {
      if (checking) return;
      checking = true;
      // Two turns of the event loop, so that a strand that was just woken runs first, even if it yields once.
      setImmediate(() => {
        checking = isStill(scopes);
        if (checking) setImmediate(concludeIfStill);
      });
    },
  };
  function concludeIfStill(): void {
    checking = false;
    if (!isStill(scopes)) return;
    const { waits, pulse } = execution;
    // The last change may be what an `until` waits for: let each look once more before concluding.
    if (waits.size > 0 && !looked) {
      looked = true;
      return pulse.beat();
    }
    const questions = openAsks(scopes);
    if (questions.length > 0 && whenWaiting === "return") execution.conclude({ status: "waiting", questions });
    if (questions.length === 0 && waits.size > 0) execution.conclude({ status: "halted", error: deadlocked(fence.rootRunId, waits) });
  }
  return execution;
}

function isStill(scopes: ReadonlyMap<string, Scope>): boolean {
  return [...scopes.values()].every((scope) => scope.running === 0 && scope.strands <= 0);
}

function deadlocked(runId: string, waits: ReadonlySet<string>): SlipwayError {
  return new SlipwayError("internal_error", `Every part of run ${runId} waits for another part: ${[...waits].toSorted().join(", ")}.`, {
    run_id: runId,
    waits: [...waits].toSorted(),
    suggested_next_actions: [`slipway journal show ${runId}`, "This is a bug in Slipway; please report it."],
  });
}

function openAsks(scopes: ReadonlyMap<string, Scope>): OpenAsk[] {
  return [...scopes.values()].flatMap((scope) => [...scope.asks].map((name) => ({ runId: scope.runId, name })));
}

/** The reason in the abort signal of a step's body. */
function abortReason(ending: RunEnding): Error {
  if (ending.status === "halted") return ending.error instanceof Error ? ending.error : new Error(String(ending.error));
  return new Error("reason" in ending ? `The run was ${ending.status}: ${ending.reason}` : `The run has ended (${ending.status}).`);
}
