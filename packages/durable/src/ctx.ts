import type { z } from "zod";
import type { Durability } from "./durability.ts";
import type { StepName } from "./step-name.ts";

/** What a run's function may do. Effects that bypass it are not recorded. */
export interface Ctx {
  readonly runId: string;
  /** Runs `fn` once and records its result under `name`. `fn` must be idempotent: after a crash before the commit it runs again. */
  step<T>(name: string | StepName<T>, fn: (signal: AbortSignal) => Promise<T>, options?: StepOptions): Promise<T>;
  /** Waits for an answer, across restarts. */
  ask<T>(name: string, question: Question<T>): Promise<T>;
  sleep(name: string, ms: number): Promise<void>;
  /**
   * Waits, across restarts, for another part of the same run: until `look` returns a value. `look` must only read. If nothing else
   * is running and no question is open, the run halts instead of waiting forever.
   */
  until<T>(name: string, look: () => Promise<T | undefined>): Promise<T>;
  /** A separate run with its own journal stream. */
  child<I, O, K>(name: string, workflow: Workflow<I, O, K>, input: I): Promise<O>;
  /** The only way to run in parallel. Waits for every operation to settle, then throws the first failure. */
  all<T>(operations: readonly (() => Promise<T>)[], options?: { readonly limit?: number }): Promise<T[]>;
}

export interface StepOptions {
  /** Durability of the recorded result; by default the workflow's. After a power cut a relaxed step may run again. */
  readonly durability?: Durability;
  readonly retry?: RetryPolicy;
  readonly timeoutMs?: number;
}

/** `attempts` includes the first try. By default only failures with a retryable code are retried; `when` overrides that. */
export interface RetryPolicy {
  readonly attempts: number;
  readonly backoffMs: number;
  readonly factor?: number;
  readonly maxBackoffMs?: number;
  readonly when?: (error: unknown) => boolean;
}

export interface Question<T> {
  readonly kind: string;
  readonly title: string;
  readonly body?: string;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  /** The inbox refuses answers that do not fit. */
  readonly schema: z.ZodType<T>;
  /** Facts for the reader or a validity rule: feature, tree, files. JSON only. */
  readonly context?: Readonly<Record<string, unknown>>;
  readonly answerableBy?: readonly string[];
  readonly remindAfterMs?: readonly number[];
  readonly timeoutMs?: number;
  /** The answer after `timeoutMs`; without it the wait fails with question_expired. */
  readonly onTimeout?: T;
}

export interface Workflow<I, O, K> {
  readonly name: string;
  /** Pinned when a run starts. Change it whenever steps are renamed, added or reordered. */
  readonly version: string;
  /** Durability of the results of its steps and children and, for a child, of its start and outcome. Questions are always synced. */
  readonly durability: Durability;
  readonly run: (ctx: Ctx, input: I, kernel: K) => Promise<O>;
}

export function workflow<I, O, K>(
  name: string,
  version: string,
  run: Workflow<I, O, K>["run"],
  { durability = "synced" }: Partial<Pick<Workflow<I, O, K>, "durability">> = {},
): Workflow<I, O, K> {
  return { name, version, durability, run };
}
