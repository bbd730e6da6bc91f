import { canonicalJson } from "./canonical.ts";
import type { JournalEvent } from "./chain.ts";
import type { Question } from "./ctx.ts";
import { fromFailure, SlipwayError } from "./errors.ts";
import { recordable } from "./failures.ts";
import { openQuestion } from "./inbox.ts";
import { askedKey, reminderKey } from "./names.ts";
import { remaining } from "./pause.ts";
import { haltBecauseChanged, lookUp, payloadOf, recall, record, replay } from "./replay.ts";
import { durably, whileIdle, type Scope } from "./scope.ts";
import { consumeWithin, nextSignal, type PendingSignal } from "./signals.ts";

export async function ask<T>(scope: Scope, name: string, question: Question<T>): Promise<T> {
  const recorded = await recall(scope, name, ["answered", "expired"]);
  if (recorded?.kind === "expired") return replay(scope, recorded);
  if (recorded !== undefined) return recordedAnswer(scope, recorded, question);

  const { sqlite, inbox } = scope.execution.parts;
  const asked = (await lookUp(scope, askedKey(name))) ?? (await pose(scope, name, question));
  scope.asks.add(name);
  const deadlines = deadlinesOf(scope, question, asked.at);
  for (;;) {
    const signal = await durably(scope, nextSignal(sqlite, scope.runId, name));
    if (signal !== undefined) {
      const answer = await accept(scope, name, question, signal);
      if (answer.ok) return answer.value;
    } else if (deadlines.isOver()) {
      // Close first, so that no answer can arrive any more; then take one that arrived just before.
      await durably(scope, inbox.close(scope.runId, name, "expired"));
      if ((await durably(scope, nextSignal(sqlite, scope.runId, name))) === undefined) return expire(scope, name, question);
    } else {
      await remind(scope, name, deadlines.remindersDue());
      await whileIdle(scope, () => scope.execution.pulse.next());
    }
  }
}

/** Opens the question in the inbox before the journal names it, so that a reader of the journal always finds it. */
async function pose<T>(scope: Scope, name: string, question: Question<T>): Promise<JournalEvent> {
  const { parts } = scope.execution;
  const open = openQuestion(scope.runId, name, question, Math.floor(parts.clock.now()));
  const { kind, title, body, options, context, answerableBy, expiresAt } = open;
  const text = canonicalJson({ kind, title, body, options, context, answerable_by: answerableBy, expires_at: expiresAt });
  await parts.inbox.open(open);
  return record(scope, { kind: "asked", name, key: askedKey(name) }, text);
}

/** Closes the question before the journal records the answer. After a crash in between, the answer is still pending and this repeats. */
async function accept<T>(
  scope: Scope,
  name: string,
  question: Question<T>,
  signal: PendingSignal,
): Promise<{ ok: true; value: T } | { ok: false }> {
  const { sqlite, clock, inbox } = scope.execution.parts;
  const consume = () => consumeWithin(sqlite, signal.id, clock.now());
  const value = parseJson(signal.value);
  const parsed = await question.schema.safeParseAsync(value);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    await record(scope, { kind: "answer_refused", name }, canonicalJson({ by: signal.sent_by, issues }), consume);
    return { ok: false };
  }
  await durably(scope, inbox.close(scope.runId, name, "answered"));
  await record(scope, { kind: "answered", name, key: name }, canonicalJson({ by: signal.sent_by, value }), consume);
  scope.asks.delete(name);
  return { ok: true, value: parsed.data };
}

/** Undefined for a row that is not JSON; the schema then refuses it like any other invalid answer. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The journal contains the answer as it was sent; transforms of the schema run again at each replay. */
async function recordedAnswer<T>(scope: Scope, event: JournalEvent, question: Question<T>): Promise<T> {
  const parsed = await question.schema.safeParseAsync((await payloadOf(scope, event)).value);
  if (parsed.success) return parsed.data;
  throw haltBecauseChanged(scope, `The code no longer accepts the recorded answer to "${event.name}" of ${scope.runId}.`);
}

async function expire<T>(scope: Scope, name: string, question: Question<T>): Promise<T> {
  const answered = question.onTimeout !== undefined;
  const failure = recordable(expired(scope.runId, name, question.title));
  const event = await record(
    scope,
    { kind: "expired", name, key: name },
    canonicalJson(answered ? { value: question.onTimeout } : { failure }),
  );
  scope.asks.delete(name);
  return answered ? replay(scope, event) : Promise.reject(fromFailure(failure));
}

function expired(runId: string, name: string, title: string) {
  const { code, message, details } = new SlipwayError("question_expired", `The question "${title}" was not answered in time.`, {
    run_id: runId,
    question: name,
  });
  return { code, message, details };
}

async function remind(scope: Scope, name: string, due: readonly { number: number; afterMs: number }[]): Promise<void> {
  for (const { number, afterMs } of due) {
    const key = reminderKey(name, number);
    if ((await lookUp(scope, key)) === undefined)
      await record(scope, { kind: "reminder", name, key }, canonicalJson({ after_ms: afterMs }));
  }
}

/** Counts from the recorded time of the question, within this process on the monotonic clock. */
function deadlinesOf<T>(scope: Scope, question: Question<T>, askedAt: number) {
  const { clock } = scope.execution.parts;
  const [now, from] = [clock.now(), clock.monotonic()];
  const dueIn = (afterMs: number) => from + remaining(afterMs, askedAt, now);
  const end = question.timeoutMs === undefined ? Infinity : dueIn(question.timeoutMs);
  const reminders = (question.remindAfterMs ?? [])
    .map((afterMs, index) => ({ number: index + 1, afterMs, due: dueIn(afterMs) }))
    .toSorted((one, two) => one.afterMs - two.afterMs);
  return {
    isOver: () => clock.monotonic() >= end,
    /** Returns each reminder once. */
    remindersDue: () => reminders.splice(0, reminders.filter(({ due }) => clock.monotonic() >= due).length),
  };
}
