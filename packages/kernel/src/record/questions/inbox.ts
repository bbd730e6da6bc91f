import { canonicalJson } from "@slipway/durable/canonical";
import type { Clock } from "@slipway/durable/environment";
import { SlipwayError } from "../../schema/errors.ts";
import type { Inbox, OpenQuestion } from "@slipway/durable/inbox";
import type { Db, Tx } from "../database/tables.ts";
import type { Actor } from "../operations/operation.ts";
import { questionFrom, type InboxQuestion } from "./question.ts";
import { statusesBefore, type QuestionStatus } from "./status.ts";
import { assertAnswer, type ValidityRules } from "./validity.ts";

export interface NewQuestion extends Omit<OpenQuestion, "runId"> {
  readonly runId: string | null;
}

export interface AnswerRequest {
  /** The id, or a prefix of it that is unique among the questions. */
  readonly id: string;
  readonly value: unknown;
  readonly by: Actor;
}

/** One inbox for everything that waits for a person, for all protocols. */
export interface QuestionInbox extends Inbox {
  open(question: NewQuestion): Promise<void>;
  listOpen(): Promise<InboxQuestion[]>;
  /** Answered, expired and withdrawn ones, in the order in which they were asked. */
  listClosed(): Promise<InboxQuestion[]>;
  /** By id: the number that people use. It never changes, because it is the order in which questions were asked. */
  numbers(): Promise<ReadonlyMap<string, number>>;
  find(idOrPrefix: string): Promise<InboxQuestion>;
  answer(request: AnswerRequest): Promise<InboxQuestion>;
  dueReminders(): Promise<Reminder[]>;
  markReminded(reminder: Reminder): Promise<void>;
}

export interface Reminder {
  readonly question: InboxQuestion;
  /** The number of this reminder, from 1. Missed earlier reminders count as sent. */
  readonly number: number;
}

const ENDS: Readonly<Record<Parameters<Inbox["close"]>[2], QuestionStatus>> = {
  answered: "answered",
  expired: "expired",
  cancelled: "withdrawn",
};

export function openInbox({
  db,
  clock,
  rules = {},
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly rules?: ValidityRules;
}): QuestionInbox {
  return {
    open: (question) => db.transaction().execute((tx) => openWithin(tx, question)),
    close: (runId, name, reason) => db.transaction().execute((tx) => closeWithin(tx, runId, name, ENDS[reason], clock.now())),
    async listOpen() {
      return (await db.selectFrom("questions").selectAll().where("status", "=", "open").orderBy("asked_at").orderBy("id").execute()).map(
        questionFrom,
      );
    },
    async listClosed() {
      return (await db.selectFrom("questions").selectAll().where("status", "!=", "open").orderBy("asked_at").execute()).map(questionFrom);
    },
    async numbers() {
      const asked = await db.selectFrom("questions").select("id").orderBy("asked_at").orderBy("id").execute();
      return new Map(asked.map(({ id }, index) => [id, index + 1]));
    },
    find: (idOrPrefix) => findQuestion(db, idOrPrefix),
    answer: (request) => db.transaction().execute((tx) => answerWithin(tx, { ...request, at: clock.now(), rules })),
    async dueReminders() {
      const now = clock.now();
      const open = (await this.listOpen()).map((question) => ({ question, number: question.remindAt.filter((at) => at <= now).length }));
      return open.filter(({ question, number }) => number > question.reminded);
    },
    async markReminded({ question, number }) {
      await db.updateTable("questions").set({ reminded: number }).where("id", "=", question.id).where("reminded", "<", number).execute();
    },
  };
}

/** Leaves an existing question unchanged: the engine asks again after a crash. */
export async function openWithin(tx: Tx, question: NewQuestion): Promise<void> {
  await tx
    .insertInto("questions")
    .values({
      id: question.id,
      run_id: question.runId,
      name: question.name,
      kind: question.kind,
      title: question.title,
      body: question.body,
      options: canonicalJson(question.options),
      answer_schema: canonicalJson(question.answerSchema),
      context: canonicalJson(question.context),
      answerable_by: canonicalJson(question.answerableBy),
      remind_at: canonicalJson(question.remindAfterMs.map((afterMs) => question.askedAt + afterMs).toSorted((a, b) => a - b)),
      reminded: 0,
      asked_at: question.askedAt,
      expires_at: question.expiresAt,
      status: "open",
      answer: null,
      answered_by: null,
      answered_at: null,
    })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

/** Stores the answer and the signal for the run in one transaction. */
export async function answerWithin(
  tx: Tx,
  request: AnswerRequest & { readonly at: number; readonly rules: ValidityRules },
): Promise<InboxQuestion> {
  const { value, by, rules } = request;
  const at = Math.floor(request.at);
  const question = await findQuestion(tx, request.id);
  await assertAnswer(question, value, by, at, rules);
  await recordAnswer(tx, question, { value, by, at });
  return findQuestion(tx, question.id);
}

/** Options that end a feature, in order of preference. `retry` finds the feature deleted and ends. */
const ENDINGS = ["reject", "give_up", "retry"];

/** Answers the open questions of a deleted feature in the name of the person who deleted it, so that the run continues without it. */
export async function answerForDeleted(tx: Tx, featureId: string, by: Actor, at: number): Promise<void> {
  const open = await tx.selectFrom("questions").selectAll().where("status", "=", "open").execute();
  for (const question of open.map(questionFrom).filter(({ context }) => context["feature_id"] === featureId)) {
    const decision = ENDINGS.find((ending) => question.options.some(({ value }) => value === ending));
    if (decision !== undefined) await recordAnswer(tx, question, { value: { decision, comment: "the feature was deleted" }, by, at });
  }
}

export async function recordAnswer(
  tx: Tx,
  question: InboxQuestion,
  { value, by, at }: Omit<AnswerRequest, "id"> & { at: number },
): Promise<void> {
  const [answer, sentBy] = [canonicalJson(value), `${by.type}:${by.id}`];
  await tx
    .updateTable("questions")
    .set({ status: "answered", answer, answered_by: sentBy, answered_at: at })
    .where("id", "=", question.id)
    .execute();
  if (question.runId !== null) {
    await tx
      .insertInto("signals")
      .values({ run_id: question.runId, name: question.name, value: answer, sent_by: sentBy, at, consumed_at: null })
      .execute();
  }
}

async function closeWithin(tx: Tx, runId: string, name: string, status: QuestionStatus, at: number): Promise<void> {
  // Also show an answer that was sent to the run directly and not through the inbox.
  const pending = tx
    .selectFrom("signals")
    .select(["value", "sent_by"])
    .where("run_id", "=", runId)
    .where("name", "=", name)
    .where("consumed_at", "is", null);
  const sent = status === "answered" ? await pending.orderBy("at").limit(1).executeTakeFirst() : undefined;
  await tx
    .updateTable("questions")
    .set({ status, answer: sent?.value ?? null, answered_by: sent?.sent_by ?? null, answered_at: Math.floor(at) })
    .where("run_id", "=", runId)
    .where("name", "=", name)
    .where("status", "in", statusesBefore(status))
    .execute();
}

async function findQuestion(db: Db | Tx, idOrPrefix: string): Promise<InboxQuestion> {
  const exact = await db.selectFrom("questions").selectAll().where("id", "=", idOrPrefix).executeTakeFirst();
  if (exact !== undefined) return questionFrom(exact);
  const rows = await db
    .selectFrom("questions")
    .selectAll()
    .where("id", ">=", idOrPrefix)
    .where("id", "<", `${idOrPrefix}\u{10FFFF}`)
    .orderBy("id")
    .execute();
  const open = rows.filter(({ status }) => status === "open");
  const [match, ...others] = open.length > 0 ? open : rows;
  if (match !== undefined && others.length === 0) return questionFrom(match);
  throw new SlipwayError(
    "question_not_found",
    match === undefined
      ? `There is no question "${idOrPrefix}".`
      : `Several questions begin with "${idOrPrefix}": ${[match, ...others].map(({ id }) => id).join(", ")}.`,
    { question_id: idOrPrefix, suggested_next_actions: ["Run `slipway inbox` to see the open questions."] },
  );
}
