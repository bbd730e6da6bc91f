import { oneLine } from "../../narration/one-line.ts";
import { escapeText } from "../../surface/escape.ts";
import { isAnswered, type InterviewState } from "./interview-state.ts";
import { nextQuestion, type InterviewStep } from "./next-question.ts";
import { INTERVIEW_PHASES, INTERVIEW_TITLES, QUESTIONS } from "./questions.ts";

const MAX_SHOWN = 300;
const MAX_REASON = 4_000;

/** Where an unfinished interview stands, for a person who comes back to it. Part of every question, and of `status`. */
export function resumeSummary(state: InterviewState): string {
  const { project, idea, lastAnswerAt, reason } = state;
  const completed = INTERVIEW_PHASES.filter(
    (phase) => isAnswered(state, phase) && (phase !== state.interviewPhase || state.stage !== "questions"),
  ).map((phase) => INTERVIEW_TITLES[phase].title);
  return [
    `Interview: ${shown(project)}`,
    ...(idea === null ? [] : [`Idea: ${shown(idea)}`]),
    `Last session: ${lastAnswerAt === null ? "none, this is the first question" : new Date(lastAnswerAt).toISOString()}`,
    `Completed phases: ${completed.length === 0 ? "none" : completed.join(", ")}`,
    `Current phase: ${INTERVIEW_TITLES[state.interviewPhase].title}`,
    `Last question: ${stepTitle(nextQuestion(state))}`,
    ...(reason === null ? [] : [`This phase is open again because of: ${shown(reason, MAX_REASON)}`]),
    ...understood(state),
  ].join("\n");
}

/** For the first question: what will be asked. */
export function introduction({ idea }: Pick<InterviewState, "idea">): string {
  const titles = INTERVIEW_PHASES.map((phase) => INTERVIEW_TITLES[phase].title);
  const required = INTERVIEW_PHASES.filter((phase) => INTERVIEW_TITLES[phase].required).map((phase) => INTERVIEW_TITLES[phase].title);
  return [
    ...(idea === null ? [] : [`Idea: ${shown(idea)}`]),
    `${QUESTIONS.length} questions in ${titles.length} phases: ${titles.join(", ")}.`,
    `After ${required.join(" and ")} you can leave the rest to the architect. You can stop at any time and continue with \`slipway resume\`.`,
  ].join("\n");
}

/** What has been understood so far, from the extracted requirements. */
export function understood({ extractedRequirements, features }: InterviewState): string[] {
  if (extractedRequirements.length === 0) return ["Nothing has been noted so far."];
  return [
    "What is understood so far:",
    ...extractedRequirements.map(({ question, topic, text }) => `- ${topic} (${question}): ${shown(text)}`),
    ...features.map(({ id, classification, description }) => `- Feature ${id}, ${classification}: ${shown(description)}`),
  ];
}

export function stepTitle(step: InterviewStep): string {
  switch (step.kind) {
    case "ask":
      return step.question.text;
    case "classify":
      return `Should the design prepare for ${step.feature.id} now?`;
    case "confirm":
      return `Is the summary of ${INTERVIEW_TITLES[step.phase].title} correct?`;
    case "phaseEnd":
      return `${INTERVIEW_TITLES[step.phase].title} is complete. Continue or delegate?`;
    case "choose":
      return "Which answer do you want to correct?";
    default:
      return "none, the interview is finished";
  }
}

/** One line, without characters that a terminal executes. */
export function shown(text: string, most = MAX_SHOWN): string {
  const line = escapeText(oneLine(text));
  return line.length <= most ? line : `${line.slice(0, most).toWellFormed()}…`;
}
