import type { Clock } from "@slipway/durable/environment";
import type { Inbox } from "@slipway/durable/inbox";
import type { Outcome } from "@slipway/durable/outcome";
import type { Notifier } from "@slipway/kernel/notify/notifier";

/** The same inbox; people are also told about each question that is opened. */
export function tellingInbox(inbox: Inbox, notifier: Pick<Notifier, "block">): Inbox {
  return {
    async open(question) {
      await inbox.open(question);
      await notifier.block(question);
    },
    close: (runId, name, reason) => inbox.close(runId, name, reason),
  };
}

/** Tells people that a run is complete or has failed; for any other outcome there is nothing to tell. */
export async function tellOutcome(notifier: Pick<Notifier, "tell">, clock: Clock, runId: string, outcome: Outcome): Promise<void> {
  if (outcome.status === "completed") {
    await notifier.tell(runId, { event: "complete", state: { type: "completed", run_id: runId } });
  } else if (outcome.status === "failed") {
    const { code, message } = outcome.failure;
    const record = { id: runId, phase: "run", query: message, blockedAt: new Date(clock.now()).toISOString(), resolved: false };
    await notifier.tell(runId, { event: "error", state: { type: "failed", run_id: runId, code }, record });
  }
}

const EVERY_MS = 60_000;

/** Sends reminders that are due, now and every minute. */
export function keepReminding(notifier: Pick<Notifier, "remind">): { stop(): Promise<void> } {
  let reminding: Promise<void> = Promise.resolve();
  const remind = () => void (reminding = reminding.then(() => notifier.remind()).catch(() => undefined));
  remind();
  const timer = setInterval(remind, EVERY_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await reminding;
    },
  };
}
