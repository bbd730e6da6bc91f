import type { Ctx, Question } from "@slipway/durable/ctx";
import type { z } from "zod";
import { chooseAnswer, classifyAnswer, confirmAnswer, phaseEndAnswer, textAnswer, textOf, type InterviewInput } from "./answers.ts";
import type { InterviewAnswer } from "./apply-answer.ts";
import { COMMAND_LINE, correction, readAnswer, STILL_CORRECT } from "./commands.ts";
import { answerTo, mayDelegate, type InterviewFeature, type InterviewState } from "./interview-state.ts";
import type { InterviewStep } from "./next-question.ts";
import { PHASE_END_CHOICES, INTERVIEW_TITLES, type QuestionId, type TopicQuestion } from "./questions.ts";
import { introduction, resumeSummary, shown, stepTitle } from "./resume-summary.ts";

export type PersonStep = Exclude<InterviewStep, { readonly kind: "extract" | "done" }>;

/** What a person said at one question, as it was said and as the interview reads it. */
export interface InterviewReply {
  readonly said: string;
  readonly input: InterviewInput;
  readonly answer: InterviewAnswer;
}

const REMIND_AFTER_MS = [24 * 60 * 60 * 1000];

/** Asks one question. The body holds all that a person needs who comes back to it in another session. */
export function askInterview(ctx: Ctx, name: string, step: PersonStep, state: InterviewState): Promise<InterviewReply> {
  const shared = {
    title: stepTitle(step),
    context: { project: state.project, interview_phase: state.interviewPhase, question_index: state.questionIndex, turn: state.turn },
    answerableBy: ["person"],
    remindAfterMs: REMIND_AFTER_MS,
  } as const;
  const body = (...parts: readonly string[]) => [...(state.acknowledgment === "" ? [] : [state.acknowledgment]), ...parts].join("\n\n");
  const ask = <S extends z.ZodType>(question: Omit<Question<z.output<S>>, "schema" | keyof typeof shared>, schema: S) =>
    ctx.ask<z.output<S>>(name, { ...shared, ...question, schema } as Question<z.output<S>>);

  switch (step.kind) {
    case "ask":
      return ask({ kind: "interview", body: body(...questionText(step.question, state)) }, textAnswer).then((given) => {
        const said = textOf(given);
        return { said, input: given.input ?? "text", answer: readAnswer(said) };
      });
    case "classify":
      return ask(
        { kind: "interview_feature", body: body(featureText(step.feature), resumeSummary(state)), options: classOptions(state) },
        classifyAnswer,
      ).then(({ decision, comment, input }) =>
        reply(decision, comment, input, decision === "delegate" ? delegated(comment) : { kind: "classified", classification: decision }),
      );
    case "confirm":
      return ask({ kind: "interview_confirm", body: body(resumeSummary(state)), options: CONFIRM }, confirmAnswer).then(
        ({ decision, comment, input }) =>
          reply(decision, comment, input, decision === "yes" ? { kind: "confirmed" } : whatToCorrect(comment)),
      );
    case "phaseEnd":
      return ask(
        { kind: "interview_phase_end", body: body(resumeSummary(state), PHASE_END_HELP), options: PHASE_END_CHOICES },
        phaseEndAnswer,
      ).then(({ decision, comment, input }) => reply(decision, comment, input, phaseEnd(decision, comment)));
    case "choose":
      return ask({ kind: "interview_correct", body: body(resumeSummary(state)), options: chooseOptions(state) }, chooseAnswer).then(
        ({ decision, comment, input }) =>
          reply(
            decision,
            comment,
            input,
            decision === NOTHING ? { kind: "kept", all: false } : correction(`${decision} ${comment ?? ""}`.trim()),
          ),
      );
  }
}

const IS_STILL_CORRECT = `Is this still correct? "${STILL_CORRECT.yes}", or just answer. "${STILL_CORRECT.no}" changes an earlier answer.`;

const PHASE_END_HELP =
  "Continue: answer the questions of the next phase. Delegate: the architect decides the rest. A comment can be your notes.";

/** The help first, then what is known so far. */
function questionText({ id, help }: TopicQuestion & { readonly id: QuestionId }, state: InterviewState): string[] {
  const isFirst = state.lastAnswerAt === null && state.reason === null && state.extractedRequirements.length === 0;
  const summary = isFirst ? [introduction(state)] : [resumeSummary(state), IS_STILL_CORRECT];
  return [help, ...current(state, id), ...summary, COMMAND_LINE];
}

const CONFIRM = [
  { value: "yes", label: STILL_CORRECT.yes },
  { value: "no", label: `${STILL_CORRECT.no} (a comment such as: success_criteria NEW TEXT)` },
] as const;

const NOTHING = "nothing";

function current(state: InterviewState, id: QuestionId): string[] {
  const text = answerTo(state, id);
  return text === null ? [] : [`Your answer so far: ${shown(text)}`];
}

function featureText({ id, description, affects }: InterviewFeature): string {
  const parts = affects.length === 0 ? "parts of the design that nobody has named yet" : affects.map((part) => shown(part)).join(", ");
  return [
    `You mentioned ${id} as a future feature: ${shown(description)}`,
    `It would affect: ${parts}.`,
    "Should the design prepare for it now (foundational), or is it a later refactoring (bolt-on)?",
  ].join("\n");
}

function classOptions(state: InterviewState) {
  return [
    { value: "foundational", label: "prepare for it now: extension points in the structure" },
    { value: "bolt-on", label: "leave it for a later refactoring: nothing in the structure" },
    ...(mayDelegate(state) ? [{ value: "delegate", label: "leave this and all other decisions to the architect" }] : []),
  ];
}

function chooseOptions({ extractedRequirements }: InterviewState) {
  return [
    ...extractedRequirements.map(({ question, topic }) => ({ value: question as string, label: `${topic}; a comment is the new answer` })),
    { value: NOTHING, label: "nothing, go back to the interview" },
  ];
}

function reply(decision: string, comment: string | undefined, input: InterviewInput | undefined, answer: InterviewAnswer): InterviewReply {
  return { said: [decision, ...(comment === undefined ? [] : [comment])].join(": "), input: input ?? "text", answer };
}

function delegated(comment: string | undefined): InterviewAnswer {
  return { kind: "delegated", notes: comment === undefined || comment.trim() === "" ? null : comment };
}

/** A comment that names a question corrects it at once; any other one leads to the choice of a question. */
function whatToCorrect(comment = ""): InterviewAnswer {
  const command = readAnswer(comment);
  if (command.kind !== "text") return command;
  const named = correction(comment.trim());
  return named.kind === "refused" ? correction("") : named;
}

function phaseEnd(decision: "continue" | "delegate" | "delegate_with_notes", comment: string | undefined): InterviewAnswer {
  const command = readAnswer(comment ?? "");
  if (command.kind === "back" || command.kind === "correct") return command;
  if (decision === "continue") return { kind: "continued" };
  if (decision === "delegate_with_notes" && (comment === undefined || comment.trim() === ""))
    return { kind: "refused", why: "The notes are missing: give them as the comment." };
  return delegated(comment);
}

/** The name of a question to a person: unique in the run, and the same after a restart. */
export function stepName({ round, interviewPhase, questionIndex, turn }: InterviewState): string {
  return `interview:${round.ignition}.${round.interview}:${interviewPhase}:${questionIndex}:turn${turn}`;
}

/** For messages and transcripts. */
export function topicOf(step: PersonStep): string {
  if (step.kind === "ask") return step.question.topic;
  return step.kind === "classify" ? step.feature.id : step.kind === "choose" ? "correction" : INTERVIEW_TITLES[step.phase].title;
}
