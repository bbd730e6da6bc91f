import type { FeatureClass } from "../spec/schema.ts";
import {
  answerTo,
  isReached,
  mayDelegate,
  positionOf,
  reachedPhase,
  startOf,
  type InterviewFeature,
  type InterviewPosition,
  type InterviewState,
} from "./interview-state.ts";
import { nextQuestion } from "./next-question.ts";
import {
  INTERVIEW_PHASES,
  INTERVIEW_TITLES,
  QUESTION_IDS,
  questionOf,
  questionsOf,
  REQUIRED_QUESTIONS,
  type InterviewPhase,
  type QuestionId,
} from "./questions.ts";

/** What a person or a model said, after commands in the text were read. */
export type InterviewAnswer =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "extracted"; readonly phase: InterviewPhase; readonly features: readonly InterviewFeature[] }
  | { readonly kind: "classified"; readonly classification: Exclude<FeatureClass, "core"> }
  | { readonly kind: "confirmed" }
  | { readonly kind: "continued" }
  | { readonly kind: "delegated"; readonly notes: string | null }
  | { readonly kind: "back"; readonly phase: InterviewPhase }
  /** Without a text the question is asked again; without a question a person chooses one. */
  | { readonly kind: "correct"; readonly question: QuestionId | null; readonly text: string | null }
  | { readonly kind: "kept"; readonly all: boolean }
  | { readonly kind: "refused"; readonly why: string };

/** The state after an answer. An answer that does not fit the open question changes nothing but the acknowledgment. */
export function applyAnswer(state: InterviewState, answer: InterviewAnswer): InterviewState {
  const step = nextQuestion(state);
  if (answer.kind === "extracted") return withFeatures(state, answer.phase, answer.features);
  const after = { ...state, turn: state.turn + 1 };
  if (step.kind === "done") return refuse(after, "The interview is finished.");
  switch (answer.kind) {
    case "refused":
      return refuse(after, answer.why);
    case "delegated":
      return delegate(after, answer.notes);
    case "back":
      return goBack(after, answer.phase);
    case "correct":
      return correct(after, answer.question, answer.text);
    case "text":
      return step.kind === "ask" ? answered(after, step.question.id, answer.text) : refuse(after, "Please choose one of the options.");
    case "kept":
      if (step.kind === "choose") return { ...after, correcting: null, acknowledgment: "Nothing was corrected." };
      return step.kind === "ask" ? keep(after, step.question.id, answer.all) : refuse(after, "There is no answer to keep here.");
    case "classified":
      return step.kind === "classify"
        ? classified(after, step.feature, answer.classification)
        : refuse(after, "There is no feature to classify.");
    case "confirmed":
      return step.kind === "confirm"
        ? { ...leaveConfirm(after), acknowledgment: "Confirmed." }
        : refuse(after, "There is nothing to confirm.");
    case "continued":
      return step.kind === "phaseEnd"
        ? { ...leavePhase(after), acknowledgment: "Continuing." }
        : refuse(after, "The phase is not at its end.");
  }
}

function refuse(state: InterviewState, acknowledgment: string): InterviewState {
  return { ...state, acknowledgment };
}

function answered(state: InterviewState, id: QuestionId, text: string): InterviewState {
  const { topic } = questionOf(id);
  return advance({ ...stored(state, id, text), acknowledgment: `Noted under "${topic}".` });
}

/** Replaces the answer to one question and leaves all others. */
function stored(state: InterviewState, id: QuestionId, text: string): InterviewState {
  const { phase, topic } = questionOf(id);
  const entry = { question: id, phase, topic, text };
  const others = state.extractedRequirements.filter(({ question }) => question !== id);
  return {
    ...state,
    extractedRequirements: [...others, entry].toSorted((a, b) => QUESTION_IDS.indexOf(a.question) - QUESTION_IDS.indexOf(b.question)),
    unread: [...new Set([...state.unread, phase])],
  };
}

/** After the open question: back to the place of the interview, or on to the next question of the phase. */
function advance(state: InterviewState): InterviewState {
  if (state.correcting !== null) return { ...state, correcting: null };
  const questionIndex = state.questionIndex + 1;
  const over = questionIndex >= questionsOf(state.interviewPhase).length;
  return { ...state, questionIndex, stage: over ? "confirm" : "questions" };
}

function keep(state: InterviewState, id: QuestionId, all: boolean): InterviewState {
  if (answerTo(state, id) === null && state.reason === null)
    return refuse(state, "There is no answer to keep yet. Please answer the question.");
  if (!all || state.correcting !== null) return advance({ ...state, acknowledgment: "Kept." });
  const questions = questionsOf(state.interviewPhase);
  const open = questions.findIndex(
    (one, index) => index >= state.questionIndex && state.reason === null && answerTo(state, one.id) === null,
  );
  if (open !== -1) return { ...state, questionIndex: open, acknowledgment: "Kept, up to this question, which has no answer yet." };
  return { ...state, questionIndex: questions.length, stage: "confirm", acknowledgment: "Kept." };
}

/** A feature that a person has classified keeps the class when the answers are read again. */
function withFeatures(state: InterviewState, phase: InterviewPhase, found: readonly InterviewFeature[]): InterviewState {
  const known = new Map(state.features.map((feature) => [feature.id, feature]));
  const features = found.map((feature) => {
    const earlier = known.get(feature.id);
    return earlier === undefined ? feature : { ...feature, phase: earlier.phase, classification: settled(earlier, feature) };
  });
  const ids = new Set(features.map(({ id }) => id));
  const kept = state.features.filter((feature) => !ids.has(feature.id) && feature.phase !== phase);
  return { ...state, features: [...kept, ...features], unread: state.unread.filter((one) => one !== phase) };
}

function settled(earlier: InterviewFeature, now: InterviewFeature): InterviewFeature["classification"] {
  return earlier.classification === "core" || earlier.classification === "open" ? now.classification : earlier.classification;
}

function classified(state: InterviewState, { id }: InterviewFeature, classification: FeatureClass): InterviewState {
  return {
    ...state,
    features: state.features.map((feature) => (feature.id === id ? { ...feature, classification } : feature)),
    acknowledgment: `${id} is ${classification}.`,
  };
}

/** Confirmed: on to the choice of an optional phase, or out of the phase. */
function leaveConfirm(state: InterviewState): InterviewState {
  const { required } = INTERVIEW_TITLES[state.interviewPhase];
  return required || state.resumeAt !== null ? leavePhase(state) : { ...state, stage: "choice" };
}

function leavePhase(state: InterviewState): InterviewState {
  if (state.resumeAt !== null) return { ...state, ...state.resumeAt, resumeAt: null };
  const next = INTERVIEW_PHASES[INTERVIEW_PHASES.indexOf(state.interviewPhase) + 1];
  return next === undefined ? { ...state, stage: "done" } : { ...state, ...startOf(next) };
}

function delegate(state: InterviewState, notes: string | null): InterviewState {
  if (!mayDelegate(state)) {
    const missing = REQUIRED_QUESTIONS.filter((id) => answerTo(state, id) === null).length;
    const questions = missing === 1 ? "1 required question is" : `${missing} required questions are`;
    return refuse(state, `Nothing can be delegated before Discovery and Architecture are complete: ${questions} open. Please go on.`);
  }
  return {
    ...state,
    stage: "done",
    interviewPhase: reachedPhase(state),
    delegatedAfter: reachedPhase(state),
    delegationNotes: notes,
    features: state.features.map((feature) => (feature.classification === "open" ? { ...feature, classification: "delegated" } : feature)),
    correcting: null,
    resumeAt: null,
    acknowledgment: "The architect decides the rest.",
  };
}

function goBack(state: InterviewState, phase: InterviewPhase): InterviewState {
  if (!isReached(state, phase))
    return refuse(state, `The phase ${INTERVIEW_TITLES[phase].title} has not been reached; you can only go back.`);
  const here: InterviewPosition = state.resumeAt ?? positionOf(state);
  return {
    ...state,
    ...startOf(phase),
    resumeAt: here.interviewPhase === phase && here.stage !== "done" ? null : here,
    correcting: null,
    acknowledgment: `Back to ${INTERVIEW_TITLES[phase].title}. Your answers are kept until you change them.`,
  };
}

function correct(state: InterviewState, id: QuestionId | null, text: string | null): InterviewState {
  if (id === null) return { ...state, correcting: "choose", acknowledgment: "" };
  if (answerTo(state, id) === null) return refuse(state, `${id} has no answer yet, so there is nothing to correct.`);
  const { topic } = questionOf(id);
  if (text === null) return { ...state, correcting: id, acknowledgment: `Correcting "${topic}".` };
  return { ...stored({ ...state, correcting: null }, id, text), acknowledgment: `Corrected under "${topic}".` };
}
