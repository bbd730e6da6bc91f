import { openQuestionsOf } from "@slipway/runtime/choose";
import { oneLine } from "@slipway/protocols/narration/one-line";
import { answerCommand } from "./render/questions.ts";
import type { Session } from "@slipway/runtime/session";

const EVERY_MS = 60_000;

/** Prints a reminder for each overdue question of the run, once. */
export async function remindOnce({ records }: Pick<Session, "records">, runId: string, say: (line: string) => void): Promise<void> {
  const mine = new Set((await openQuestionsOf(records, runId)).map(({ id }) => id));
  const numbers = await records.inbox.numbers();
  for (const reminder of await records.inbox.dueReminders()) {
    const { question } = reminder;
    if (!mine.has(question.id)) continue;
    say(`still waits for a person: ${oneLine(question.title)} → ${answerCommand(question, `Q${numbers.get(question.id)}`)}`);
    await records.inbox.markReminded(reminder);
  }
}

/** Prints reminders now, and every minute while the run continues. */
export function keepReminding(session: Pick<Session, "records">, runId: string, say: (line: string) => void): { stop(): Promise<void> } {
  let telling: Promise<void> = Promise.resolve();
  const tell = () => void (telling = telling.then(() => remindOnce(session, runId, say)).catch(() => undefined));
  tell();
  const timer = setInterval(tell, EVERY_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await telling;
    },
  };
}
