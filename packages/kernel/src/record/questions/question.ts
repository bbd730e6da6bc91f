import type { Json } from "@slipway/durable/canonical";
import type { OpenQuestion } from "@slipway/durable/inbox";
import type { Selectable } from "kysely";
import type { QuestionStatus } from "./status.ts";
import type { QuestionsTables } from "./tables.ts";

/** A question as people and rules see it. `answerableBy` holds actor types, or `type:id`. */
export interface InboxQuestion extends Omit<OpenQuestion, "runId" | "remindAfterMs"> {
  /** Null if no run waits for it. */
  readonly runId: string | null;
  readonly remindAt: readonly number[];
  readonly reminded: number;
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
