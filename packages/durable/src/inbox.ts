import { z } from "zod";
import type { Question } from "./ctx.ts";

/** Shows questions to people. Both calls must be idempotent: after a crash the engine repeats them. */
export interface Inbox {
  /** Keeps the first version if the id exists. */
  open(question: OpenQuestion): Promise<void>;
  /** Changes nothing if the question is already closed or answered, or was never opened. */
  close(runId: string, name: string, reason: "answered" | "expired" | "cancelled"): Promise<void>;
}

export interface OpenQuestion {
  /** `<run id>#<name>` */
  readonly id: string;
  readonly runId: string;
  readonly name: string;
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  /** JSON Schema of a valid answer. */
  readonly answerSchema: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
  readonly answerableBy: readonly string[];
  readonly remindAfterMs: readonly number[];
  readonly askedAt: number;
  readonly expiresAt: number | null;
}

export function openQuestion<T>(runId: string, name: string, question: Question<T>, askedAt: number): OpenQuestion {
  return {
    id: `${runId}#${name}`,
    runId,
    name,
    kind: question.kind,
    title: question.title,
    body: question.body ?? "",
    options: question.options ?? [],
    answerSchema: z.toJSONSchema(question.schema, { io: "input", unrepresentable: "any" }),
    context: question.context ?? {},
    answerableBy: question.answerableBy ?? [],
    remindAfterMs: question.remindAfterMs ?? [],
    askedAt,
    expiresAt: question.timeoutMs === undefined ? null : askedAt + question.timeoutMs,
  };
}
