import type { CriticalityRun } from "../criticality-run.ts";
import { applyAnswer } from "./apply-answer.ts";
import { appendDelegation } from "./decisions.ts";
import { extractFeatures } from "./extract-features.ts";
import { appendTurn, putState } from "./interview-files.ts";
import { askInterview, stepName } from "./interview-questions.ts";
import type { InterviewState } from "./interview-state.ts";
import { nextQuestion } from "./next-question.ts";
import { INTERVIEW_TITLES } from "./questions.ts";

/** What the interview uses of a run. */
export type InterviewRun = Pick<CriticalityRun, "ctx" | "files" | "ledger" | "askModel" | "now">;

/** Called before each question to a person. */
export type OnTurn = (state: InterviewState) => Promise<void>;

/**
 * Asks one question per turn until every phase is answered or the rest is delegated. After a restart the recorded answers are applied
 * again, and the interview waits at the same question.
 */
export async function runInterview(
  run: InterviewRun,
  start: InterviewState,
  onTurn: OnTurn = async () => undefined,
): Promise<InterviewState> {
  let state = start;
  for (;;) {
    putState(run.files, state);
    const step = nextQuestion(state);
    if (step.kind === "done") break;
    if (step.kind === "extract") {
      state = applyAnswer(state, await extractFeatures(run, state, step.phase));
      continue;
    }
    await onTurn(state);
    // The files show the open question while the run waits.
    await run.files.flush();
    const name = stepName(state);
    const before = state;
    const reply = await askInterview(run.ctx, name, step, before);
    const at = await run.now(`${name}:at`);
    state = { ...applyAnswer(before, reply.answer), lastAnswerAt: at };
    appendTurn(run.files, step, reply, before, state, at);
    if (reply.answer.kind === "delegated" && isDelegation(before, state))
      await appendDelegation(run, name, INTERVIEW_TITLES[state.interviewPhase].title, reply.answer.notes);
  }
  await run.files.flush();
  return state;
}

/** False for a refused delegation, and for a second one after the first. */
function isDelegation(before: InterviewState, after: InterviewState): boolean {
  return after.stage === "done" && after.delegatedAfter !== null && before.stage !== "done";
}
