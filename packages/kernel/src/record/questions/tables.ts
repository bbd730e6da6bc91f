import type { Tx } from "../database/tables.ts";
import type { QuestionStatus } from "./status.ts";

export interface QuestionsTables {
  questions: {
    id: string;
    run_id: string | null;
    name: string;
    kind: string;
    title: string;
    body: string;
    /** JSON, like `answer_schema`, `context`, `answerable_by`, `remind_at` and `answer`. */
    options: string;
    answer_schema: string;
    context: string;
    answerable_by: string;
    remind_at: string;
    /** How many of the reminders have been sent or skipped. */
    reminded: number;
    asked_at: number;
    expires_at: number | null;
    status: QuestionStatus;
    answer: string | null;
    answered_by: string | null;
    /** When it ended, in any way. */
    answered_at: number | null;
  };
}

export async function createQuestions(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("questions")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("run_id", "text")
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("title", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("options", "text", (column) => column.notNull())
    .addColumn("answer_schema", "text", (column) => column.notNull())
    .addColumn("context", "text", (column) => column.notNull())
    .addColumn("answerable_by", "text", (column) => column.notNull())
    .addColumn("remind_at", "text", (column) => column.notNull())
    .addColumn("reminded", "integer", (column) => column.notNull())
    .addColumn("asked_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint")
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("answer", "text")
    .addColumn("answered_by", "text")
    .addColumn("answered_at", "bigint")
    .execute();
  await tx.schema.createIndex("questions_of_run").on("questions").columns(["run_id", "name"]).execute();
  await tx.schema.createIndex("questions_status").on("questions").columns(["status", "asked_at"]).execute();
}
