import { z } from "zod";
import { takeAnswers, type Said } from "../decisions/answers.ts";
import { openDecisions } from "../decisions/change-decisions.ts";
import { findDecision, pendingDecisions, type UserDecision } from "../decisions/decision.ts";
import { returnState } from "../decisions/resume.ts";
import { BLOCKERS } from "../session/status.ts";
import type { CrewSession } from "./crew-session.ts";
import { ANY_TIME, nextName, type AskedAbout } from "./progress.ts";
import { Blocked } from "./stops.ts";

const answerSchema = z
  .strictObject({
    answers: z.record(z.string(), z.string().nullable()).optional().describe("By decision_id."),
    decision: z.string().optional().describe("The answer to every question without one of its own."),
    comment: z.string().optional(),
  })
  .refine(({ answers, decision, comment }) => answers !== undefined || decision !== undefined || comment !== undefined, {
    error: "must answer at least one question",
  });

/** Opens ASK_USER: one decision for each question, on disk before anybody sees one. */
export async function askAbout(session: CrewSession, about: AskedAbout, questions: readonly string[], why: string): Promise<void> {
  const before = session.decisions();
  const stateContext = session.state();
  const { opened } = openDecisions(before, questions, { at: ANY_TIME, stateContext });
  session.progress.asked = { about, ids: opened };
  await session.move("ASK_USER", {
    why,
    status: (status, at) => ({
      ...status,
      user_decisions: openDecisions(status.user_decisions, questions, { at, stateContext }).decisions,
    }),
  });
}

/** ASK_USER: asks until every decision is resolved, then goes back to where the questions arose. */
export async function askUser(session: CrewSession): Promise<void> {
  let ask: readonly string[] = pendingDecisions(session.decisions()).map(({ decision_id }) => decision_id);
  const askedAgain = new Set<string>();
  while (ask.length > 0) {
    const shown = ask.flatMap((id) => findDecision(session.decisions(), id) ?? []);
    const said = await askDecisions(session, shown);
    const asked = [...ask];
    const again = new Set(askedAgain);
    const take = (decisions: readonly UserDecision[], at: string) => takeAnswers(decisions, { asked, said, at, askedAgain: again });
    const { askAgain } = take(session.decisions(), ANY_TIME);
    const answers = Object.fromEntries(Object.entries(said).filter((entry): entry is [string, string] => entry[1] !== null));
    await session.save({
      why: `answers to ${asked.join(", ")}`,
      next: session.state(),
      status: (status, at) => ({ ...status, user_decisions: take(status.user_decisions, at).decisions }),
      answers,
    });
    for (const id of askAgain) askedAgain.add(id);
    ask = askAgain;
  }
  // An earlier write of the answers may have failed: they are compared again before the state is left.
  const to = returnState(session.decisions());
  if (to === null) throw new Blocked(BLOCKERS.precondition, "ASK_USER was entered without a question.");
  await session.move(to, { why: "every decision is resolved" });
}

async function askDecisions({ run, progress }: CrewSession, shown: readonly UserDecision[]): Promise<Record<string, Said>> {
  const answer = await run.ctx.ask(nextName(progress, "decide"), {
    kind: "crew_decisions",
    title: `${run.id}: ${shown.length === 1 ? "a decision is" : `${shown.length} decisions are`} needed`,
    body: [
      ...shown.map(({ decision_id, question }) => `${decision_id}: ${question}`),
      `Answer each by its id, for example {"answers": {"${shown[0]?.decision_id ?? "UD-1"}": "…"}}; one word answers all of them.`,
    ].join("\n\n"),
    schema: answerSchema,
    context: { feature_id: run.id, session: run.session, decisions: shown },
    answerableBy: ["person"],
  });
  const { answers = {}, decision, comment } = answer;
  const common = decision === undefined ? (comment ?? null) : comment === undefined ? decision : `${decision}: ${comment}`;
  return Object.fromEntries(shown.map(({ decision_id }) => [decision_id, answers[decision_id] ?? common]));
}

/** The decisions of the last question, once all of them are resolved; asked for only once. */
export function takeAsked({
  progress,
  decisions,
}: CrewSession): { readonly about: AskedAbout; readonly decisions: readonly UserDecision[] } | null {
  const { asked } = progress;
  if (asked === null) return null;
  progress.asked = null;
  return { about: asked.about, decisions: asked.ids.flatMap((id) => findDecision(decisions(), id) ?? []) };
}

/** What a person said, as a constraint of later dispatches. */
export function constraintOf({ decision_id, question, status, answer, resolution_reason }: UserDecision): string {
  return `${decision_id}: ${question} — ${status === "answered" ? `the user decided: ${answer}` : `no decision (${resolution_reason ?? status})`}`;
}
