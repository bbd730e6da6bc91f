import type { z } from "zod";
import type { Durability } from "./durability.ts";
import type { StepName } from "./step-name.ts";

/** What a run's function may do. Everything it does must go through here, or it is not remembered. */
export interface Ctx {
  readonly runId: string;
  /** Runs `fn` once and remembers its result under `name`. `fn` must be idempotent: a crash before the record runs it again. */
  step<T>(name: string | StepName<T>, fn: (signal: AbortSignal) => Promise<T>, options?: StepOptions): Promise<T>;
  /** Waits, over restarts if need be, until somebody answers. */
  ask<T>(name: string, question: Question<T>): Promise<T>;
  sleep(name: string, ms: number): Promise<void>;
  /**
   * Waits, over restarts if need be, for what another part of the same run brings about: until `look` sees something. `look` only
   * reads. When nothing else moves and nobody is asked, the run halts instead of waiting for ever.
   */
  until<T>(name: string, look: () => Promise<T | undefined>): Promise<T>;
  /** A run of its own, with its own journal stream. */
  child<I, O, K>(name: string, workflow: Workflow<I, O, K>, input: I): Promise<O>;
  /** The only way to be parallel. Waits for every operation to settle, then throws the first failure. */
  all<T>(operations: readonly (() => Promise<T>)[], options?: { readonly limit?: number }): Promise<T[]>;
}

export interface StepOptions {
  /** Of the record of its result; that of the workflow unless told otherwise. After a power cut a relaxed step may be done again. */
  readonly durability?: Durability;
  readonly retry?: RetryPolicy;
  readonly timeoutMs?: number;
}

/** In-place retries; `attempts` counts the first try. Only failures whose code is retryable are tried again unless `when` says otherwise. */
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
  /** What a valid answer looks like; invalid answers are refused at the inbox. */
  readonly schema: z.ZodType<T>;
  /** Facts the reader or a validity rule needs: feature, tree, files. JSON only. */
  readonly context?: Readonly<Record<string, unknown>>;
  readonly answerableBy?: readonly string[];
  readonly remindAfterMs?: readonly number[];
  readonly timeoutMs?: number;
  /** Used as the answer when `timeoutMs` has passed; without it the wait fails with question_expired. */
  readonly onTimeout?: T;
}

export interface Workflow<I, O, K> {
  readonly name: string;
  /** Pinned when a run starts; change it whenever steps are renamed, added or reordered. */
  readonly version: string;
  /** Of the results of its steps and children, and, where it is a child, of its beginning and its outcome. Questions are always synced. */
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
