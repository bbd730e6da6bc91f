import type { DispatchedRole } from "../agents.ts";
import { META } from "../contract/names.ts";
import type { OutputOf } from "../contract/output.ts";
import { askTriggers, signalsIn } from "../prompts/signals.ts";
import { reactionTo } from "../rules/reactions.ts";
import { askAbout, constraintOf, takeAsked } from "./ask-user.ts";
import type { CrewSession } from "./crew-session.ts";
import { dispatchRole, type CrewDispatched } from "./dispatch-role.ts";
import { orderFor, type Order } from "./orders.ts";
import { Blocked } from "./stops.ts";

/** Answers to an author's questions: it writes its artifact again with them. */
export function takeAuthorAnswers(session: CrewSession): void {
  const asked = takeAsked(session);
  if (asked === null) return;
  session.progress.constraints.push(...asked.decisions.map(constraintOf));
  if (asked.about.kind === "signals") session.progress.done.delete(asked.about.role);
}

/** Dispatches the author of an artifact until its output stands. False if a person is asked first. */
export async function author(session: CrewSession, role: DispatchedRole, why: string, more: Partial<Order> = {}): Promise<boolean> {
  const { progress } = session;
  if (progress.done.has(role)) return true;
  const { output } = await dispatchRole(session, orderFor(session, role, META, more), why);
  const reaction = reactionTo(role, output as OutputOf<typeof role>, progress.researchAsked);
  if (reaction.kind === "blocked") throw new Blocked(reaction.blocker, `${role}: ${reaction.detail}`);
  if (reaction.kind === "ask" && reaction.about === "research_questions") {
    progress.researchAsked = true;
    await askAbout(session, { kind: "research" }, researchQuestions(output), `${role} needs information`);
    return false;
  }
  progress.done.add(role);
  return !(await askSignals(session, role, output));
}

function researchQuestions({ artifacts, summary }: CrewDispatched["output"]): string[] {
  const questions = artifacts.notes.filter((note) => signalsIn([note]).length === 0);
  return questions.length === 0 ? [summary] : [...questions];
}

/** Opens ASK_USER for what an output leaves to a person. A question is never asked twice. */
export async function askSignals(session: CrewSession, role: DispatchedRole, output: CrewDispatched["output"]): Promise<boolean> {
  const known = new Set(session.decisions().map(({ question }) => question));
  const asked = askTriggers(role, output as OutputOf<typeof role>).filter(({ trigger }) => BY_SIGNAL.includes(trigger));
  const questions = [...new Set(asked.map(({ trigger, text }) => `[${trigger}] ${role}: ${text}`))].filter(
    (question) => !known.has(question),
  );
  if (questions.length === 0) return false;
  await askAbout(
    session,
    { kind: "signals", role },
    questions,
    `${role} leaves ${questions.length === 1 ? "a decision" : "decisions"} to the user`,
  );
  return true;
}

const BY_SIGNAL: readonly string[] = ["ambiguous_requirement", "design_trade_off", "scope_growth"];
