import type { Tracer } from "@opentelemetry/api";
import { SlipwayError, type Failure } from "./errors.ts";
import { haltsRun } from "./failures.ts";
import type { Inbox } from "./inbox.ts";
import type { Fence, JournalParts } from "./journal.ts";
import type { LeaseParts } from "./lease.ts";
import { endScope, type Ordered, type Scope } from "./scope.ts";
import { createPulse, type Pulse, type Sleep } from "./timer.ts";

/** What an engine is made of. */
export interface Parts extends JournalParts, LeaseParts {
  readonly inbox: Inbox;
  readonly kernel: unknown;
  readonly sleep: Sleep;
  readonly pollMs: number;
  readonly graceMs: number;
  readonly tracer: Tracer;
  readonly onStepStart: (runId: string, name: string) => void;
}

/** Why an execution is over. */
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

/** One process carrying out one tree of runs under one lease. */
export interface Execution {
  readonly parts: Parts;
  readonly fence: Fence;
  /** Live scopes by run id. */
  readonly scopes: Map<string, Scope>;
  /** What waits for another part of the run. */
  readonly waits: Set<string>;
  /** Beats when answers may have come. */
  readonly pulse: Pulse;
  /** Beats to look for answers and orders before the next poll. */
  readonly poke: Pulse;
  /** Beats when something that was under way has ended. */
  readonly quieter: Pulse;
  readonly ended: Promise<RunEnding>;
  /** The first call counts. */
  conclude(ending: RunEnding): void;
  /** True when the error is not the run's but the machine's; the execution is over then. */
  haltsOn(error: unknown): boolean;
  /** Lets timers and I/O have their turn if steps have kept the event loop busy: a lease must not run out over it. */
  breathe(): Promise<void> | undefined;
  /** Something was done that a part of the run may have waited for. */
  moved(): void;
  /** Ends the execution as "waiting" if only answers could move it. */
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
      // The strand that has just been woken up gets its turn first, even if it has to take a breath.
      setImmediate(() => {
        checking = isStill(scopes);
        if (checking) setImmediate(rest);
      });
    },
  };
  function rest(): void {
    checking = false;
    if (!isStill(scopes)) return;
    const { waits, pulse } = execution;
    // What was done last may be what somebody waits for: they look once more before anything is concluded.
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
    suggested_next_actions: [`slipway journal show ${runId}`, "This is a fault of Slipway; please report it."],
  });
}

function openAsks(scopes: ReadonlyMap<string, Scope>): OpenAsk[] {
  return [...scopes.values()].flatMap((scope) => [...scope.asks].map((name) => ({ runId: scope.runId, name })));
}

/** What the signal of a body that is aborted says. */
function abortReason(ending: RunEnding): Error {
  if (ending.status === "halted") return ending.error instanceof Error ? ending.error : new Error(String(ending.error));
  return new Error("reason" in ending ? `The run was ${ending.status}: ${ending.reason}` : `The run has ended (${ending.status}).`);
}
