import type { Json } from "@slipway/durable/canonical";
import type { Selectable } from "kysely";
import type { QuestionStatus } from "./status.ts";
import type { QuestionsTables } from "./tables.ts";

/** A question as people and rules see it. */
export interface InboxQuestion {
  readonly id: string;
  /** Null when nobody's run waits for it. */
  readonly runId: string | null;
  readonly name: string;
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  /** JSON Schema of a valid answer. */
  readonly answerSchema: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
  /** Actor types, or `type:id`. */
  readonly answerableBy: readonly string[];
  readonly remindAt: readonly number[];
  readonly reminded: number;
  readonly askedAt: number;
  readonly expiresAt: number | null;
  readonly status: QuestionStatus;
  readonly answer: Json;
  readonly answeredBy: string | null;
  readonly answeredAt: number | null;
}

export function questionFrom(row: Selectable<QuestionsTables["questions"]>): InboxQuestion {
  return {
    id: row.id,
    runId: row.run_id,
    name: row.name,
    kind: row.kind,
    title: row.title,
    body: row.body,
    options: JSON.parse(row.options) as InboxQuestion["options"],
    answerSchema: JSON.parse(row.answer_schema) as InboxQuestion["answerSchema"],
    context: JSON.parse(row.context) as InboxQuestion["context"],
    answerableBy: JSON.parse(row.answerable_by) as string[],
    remindAt: JSON.parse(row.remind_at) as number[],
    reminded: row.reminded,
    askedAt: row.asked_at,
    expiresAt: row.expires_at,
    status: row.status,
    answer: row.answer === null ? null : (JSON.parse(row.answer) as Json),
    answeredBy: row.answered_by,
    answeredAt: row.answered_at,
  };
}
