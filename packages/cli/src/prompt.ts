import { isCancel, note, select, text } from "./terminal/prompts.ts";
import { SlipwayError } from "./errors.ts";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import { repositoryView } from "@slipway/kernel/repository-view";
import { answerFrom } from "@slipway/protocols/surface/answer-value";
import { openQuestionsOf } from "@slipway/runtime/choose";
import type { Io } from "@slipway/protocols/surface/io";
import { giveApproval } from "./give-approval.ts";
import { personOf } from "@slipway/protocols/surface/caller";
import { oneLine } from "@slipway/protocols/narration/one-line";
import type { Session } from "@slipway/runtime/session";

const LATER = "later";
const DIFF = "diff";

/** Asks the run's open questions at the terminal. False if the person wants to answer later. */
export async function answerAtTerminal({ records, engine, kernel }: Session, runId: string, io: Io): Promise<boolean> {
  const open = await openQuestionsOf(records, runId);
  for (const question of open) {
    note(question.body, oneLine(question.title));
    let settled = false;
    while (!settled) {
      const given = await ask(question);
      if (given === LATER) return false;
      if (given === DIFF) {
        io.bytes(await repositoryView(kernel.repository).diff(String(question.context["base"]), String(question.context["tree"])));
        continue;
      }
      settled = await answer(records, question, given, io, kernel.configuration.policyHash);
    }
    engine.wake();
  }
  return open.length > 0;
}

interface Given {
  readonly decision: string | null;
  readonly comment: string;
}

async function ask(question: InboxQuestion): Promise<Given | typeof LATER | typeof DIFF> {
  const decision = await choose(question);
  if (decision === LATER || decision === DIFF) return decision;
  if (decision === "approve") return { decision, comment: "" };
  const message = decision === null ? "Your answer" : "A comment (may be empty)";
  const comment = await text({ message, defaultValue: "" });
  return isCancel(comment) ? LATER : { decision, comment };
}

/** JSON is the whole answer, because some choices need more than a comment. */
function valueOf(question: InboxQuestion, decision: string | null, comment: string): unknown {
  if (decision === null && comment === "") return {};
  if (comment.trimStart().startsWith("{")) return answerFrom(question, comment, undefined);
  return answerFrom(question, decision ?? undefined, comment === "" ? undefined : comment);
}

/** False if the answer is invalid; the reason is shown, and the question stays open. */
async function answer(
  records: Session["records"],
  question: InboxQuestion,
  { decision, comment }: Given,
  io: Io,
  policyHash: string,
): Promise<boolean> {
  try {
    if (question.kind === "approval" && decision === "approve") {
      const given = await giveApproval(records, question, io, { policyHash });
      if (!given.signed) note(given.why, "Nothing was signed; the question is asked again");
    } else {
      await records.answer({ id: question.id, value: valueOf(question, decision, comment), by: personOf(io) });
    }
    return true;
  } catch (error) {
    if (!(error instanceof SlipwayError) || error.code !== "answer_invalid") throw error;
    note(error.message, "Invalid answer");
    return false;
  }
}

async function choose(question: InboxQuestion): Promise<string | null> {
  if (question.options.length === 0) return null;
  const chosen = await select({
    message: "What should happen?",
    // The default is "later", so that Enter alone merges nothing.
    initialValue: LATER,
    options: [
      ...question.options.map(({ value, label }) => ({ value, label: `${value}: ${label}` })),
      ...(question.kind === "approval" ? [{ value: DIFF, label: "diff: show the whole change first" }] : []),
      { value: LATER, label: "later: leave the question open" },
    ],
  });
  return isCancel(chosen) ? LATER : chosen;
}
