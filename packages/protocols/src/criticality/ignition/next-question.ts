import type { InterviewFeature, InterviewState } from "./interview-state.ts";
import { INTERVIEW_PHASES, QUESTIONS, questionOf, questionsOf, type InterviewPhase } from "./questions.ts";

/** What the interview does next. Everything but `extract` and `done` waits for a person. */
export type InterviewStep =
  | { readonly kind: "ask"; readonly question: (typeof QUESTIONS)[number] }
  /** A model reads the answers of a phase for features. */
  | { readonly kind: "extract"; readonly phase: InterviewPhase }
  | { readonly kind: "classify"; readonly feature: InterviewFeature }
  | { readonly kind: "confirm"; readonly phase: InterviewPhase }
  | { readonly kind: "choose" }
  | { readonly kind: "phaseEnd"; readonly phase: InterviewPhase }
  | { readonly kind: "done" };

/** The next step; the same state always gives the same one. */
export function nextQuestion(state: InterviewState): InterviewStep {
  const { interviewPhase: phase, stage, correcting, resumeAt } = state;
  if (correcting === "choose") return { kind: "choose" };
  if (correcting !== null) return { kind: "ask", question: questionOf(correcting) };
  const asking = [state, ...(resumeAt === null ? [] : [resumeAt])].filter((place) => place.stage === "questions");
  const unread = INTERVIEW_PHASES.find((one) => state.unread.includes(one) && asking.every((place) => place.interviewPhase !== one));
  if (unread !== undefined) return { kind: "extract", phase: unread };
  const feature = state.features.find(({ classification }) => classification === "open");
  if (feature !== undefined) return { kind: "classify", feature };
  const question = questionsOf(phase)[state.questionIndex];
  if (stage === "questions" && question !== undefined) return { kind: "ask", question };
  if (stage === "done") return { kind: "done" };
  return stage === "choice" ? { kind: "phaseEnd", phase } : { kind: "confirm", phase };
}
