import { isCancel, note, select, text } from "@clack/prompts";
import type { InboxQuestion } from "@slipway/kernel/questions/question";
import type { Io } from "./io.ts";
import { giveApproval } from "./give-approval.ts";
import { personOf } from "./places.ts";
import type { Session } from "./session.ts";

const LATER = "later";

/** Puts the run's open questions to whoever sits at the terminal. False when they would rather answer later. */
export async function answerAtTerminal({ records, engine }: Session, runId: string, io: Io): Promise<boolean> {
  const open = (await records.inbox.listOpen()).filter(
    (question) => question.runId === runId || question.runId?.startsWith(`${runId}/`) === true,
  );
  for (const question of open) {
    note(question.body, question.title);
    const decision = await choose(question);
    if (decision === LATER) return false;
    const comment = decision === "approve" ? "" : await text({ message: "A comment for the worker (may be empty)", defaultValue: "" });
    if (isCancel(comment)) return false;
    if (question.kind === "approval" && decision === "approve") await giveApproval(records, question, io);
    else
      await records.answer({
        id: question.id,
        value: { ...(decision === null ? {} : { decision }), ...(comment === "" ? {} : { comment }) },
        by: personOf(io),
      });
    engine.wake();
  }
  return open.length > 0;
}

async function choose(question: InboxQuestion): Promise<string | null> {
  if (question.options.length === 0) return null;
  const chosen = await select({
    message: "What shall happen?",
    options: [
      ...question.options.map(({ value, label }) => ({ value, label: `${value}: ${label}` })),
      { value: LATER, label: "later: leave the question open" },
    ],
  });
  return isCancel(chosen) ? LATER : chosen;
}
