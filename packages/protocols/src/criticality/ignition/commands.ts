import type { InterviewAnswer } from "./apply-answer.ts";
import { INTERVIEW_PHASES, INTERVIEW_TITLES, QUESTION_IDS, questionNamed, type InterviewPhase } from "./questions.ts";

/** Shown with every question that takes a text. */
export const COMMAND_LINE = "Commands: /back PHASE, /correct QUESTION, /keep, /delegate. Write /help to read about them.";

/** What `/help` says. */
export const COMMAND_HELP = [
  "Instead of an answer you can write:",
  `- /back PHASE to visit a phase again (${INTERVIEW_PHASES.join(", ")}); your answers are kept`,
  "- /correct QUESTION to answer an earlier question again, or /correct QUESTION NEW TEXT to replace its answer",
  "- /keep to leave the answer as it is, /keep all to leave all answers of this phase",
  "- /delegate, or /delegate NOTES, to leave all other decisions to the architect (after Discovery and Architecture)",
  `Names of questions: ${QUESTION_IDS.join(", ")}`,
].join("\n");

const COMMAND = /^\/(back|correct|keep|delegate|help)(?:\s+([\s\S]*))?$/;

/** The two answers to the summary that every question shows. */
export const STILL_CORRECT = { yes: "Yes, continue", no: "No, let me correct something" } as const;

/** A command, or the text as an answer. Only the very first character makes a command; any other text is data. */
export function readAnswer(text: string): InterviewAnswer {
  if (text.trim() === STILL_CORRECT.yes) return { kind: "refused", why: "The interview continues with this question." };
  if (text.trim() === STILL_CORRECT.no) return { kind: "correct", question: null, text: null };
  const match = COMMAND.exec(text.trimEnd());
  if (match === null) return { kind: "text", text };
  const rest = (match[2] ?? "").trim();
  switch (match[1]) {
    case "back":
      return backTo(rest);
    case "correct":
      return correction(rest);
    case "keep":
      return { kind: "kept", all: rest === "all" };
    case "help":
      return { kind: "refused", why: COMMAND_HELP };
    default:
      return { kind: "delegated", notes: rest === "" ? null : rest };
  }
}

function backTo(name: string): InterviewAnswer {
  const phase = phaseNamed(name);
  if (phase !== null) return { kind: "back", phase };
  return { kind: "refused", why: `There is no phase of that name. Phases: ${INTERVIEW_PHASES.join(", ")}.` };
}

function phaseNamed(name: string): InterviewPhase | null {
  const wanted = name.toLowerCase();
  return INTERVIEW_PHASES.find((phase) => [phase.toLowerCase(), INTERVIEW_TITLES[phase].title.toLowerCase()].includes(wanted)) ?? null;
}

/** `QUESTION` or `QUESTION NEW TEXT`; with a colon between them if you like. */
export function correction(rest: string): InterviewAnswer {
  if (rest === "") return { kind: "correct", question: null, text: null };
  const [, name = "", text = ""] = /^([^\s:]+):?\s*([\s\S]*)$/.exec(rest) ?? [];
  const question = questionNamed(name.toLowerCase());
  if (question === null) return { kind: "refused", why: `There is no question of that name. Questions: ${QUESTION_IDS.join(", ")}.` };
  return { kind: "correct", question: question.id, text: text === "" ? null : text };
}
