import { z } from "zod";
import { FEATURE_CLASSES, featureId } from "../spec/schema.ts";
import { INTERVIEW_PHASES, QUESTION_IDS, questionsOf, REQUIRED_QUESTIONS, type InterviewPhase, type QuestionId } from "./questions.ts";

const interviewPhase = z.enum(INTERVIEW_PHASES);

/** Where the interview stands. `questionIndex` counts the questions of the phase; the stages follow each other in this order. */
const position = z.strictObject({
  interviewPhase,
  questionIndex: z.int().min(0),
  stage: z.enum(["questions", "confirm", "choice", "done"]),
});

/** What a person has said under one topic, in its latest wording. */
const requirement = z.strictObject({ question: z.enum(QUESTION_IDS), phase: interviewPhase, topic: z.string(), text: z.string() });

const interviewFeature = z.strictObject({
  id: featureId,
  /** The phase whose answers mention it. */
  phase: interviewPhase,
  description: z.string(),
  affects: z.array(z.string()),
  /** `open`: a person must still decide; `delegated`: the architect decides. */
  classification: z.enum([...FEATURE_CLASSES, "open", "delegated"]),
});

export const interviewStateSchema = z.strictObject({
  project: z.string(),
  /** What the person said when the run was started. */
  idea: z.string().nullable(),
  ...position.shape,
  extractedRequirements: z.array(requirement),
  delegatedAfter: interviewPhase.nullable(),
  delegationNotes: z.string().nullable(),
  features: z.array(interviewFeature),
  /** Phases with answers that no model has read for features yet. */
  unread: z.array(interviewPhase),
  /** One question that is asked again, out of order; `choose` asks which. */
  correcting: z.union([z.enum(QUESTION_IDS), z.literal("choose")]).nullable(),
  /** Where to continue after a phase was visited again. */
  resumeAt: position.nullable(),
  /** Said with the next question: what was noted, or why something was refused. */
  acknowledgment: z.string(),
  /** Why a phase is open again: a person's feedback or a contradiction report; null in a first interview. */
  reason: z.string().nullable(),
  /** When the last answer was given, in milliseconds since 1970. */
  lastAnswerAt: z.number().nullable(),
  /** Turns so far; never reset, so that every question of a run has its own name. */
  turn: z.int().min(0),
  /** The entry into Ignition, and the interview within it: a rejection starts another one. */
  round: z.strictObject({ ignition: z.int().min(1), interview: z.int().min(1) }),
});

export type InterviewState = z.output<typeof interviewStateSchema>;
export type InterviewPosition = z.output<typeof position>;
export type InterviewFeature = z.output<typeof interviewFeature>;

const START: InterviewPosition = { interviewPhase: "discovery", questionIndex: 0, stage: "questions" };

export function firstState(
  { project, idea }: Pick<InterviewState, "project" | "idea">,
  round: InterviewState["round"] = { ignition: 1, interview: 1 },
  turn = 0,
): InterviewState {
  return {
    project,
    idea,
    ...START,
    extractedRequirements: [],
    delegatedAfter: null,
    delegationNotes: null,
    features: [],
    unread: [],
    correcting: null,
    resumeAt: null,
    acknowledgment: "",
    reason: null,
    lastAnswerAt: null,
    turn,
    round,
  };
}

/** Opens one phase of a finished interview again; the interview ends after it. Answers stay. */
export function reopened(state: InterviewState, phase: InterviewPhase, reason: string): InterviewState {
  return {
    ...state,
    ...startOf(phase),
    resumeAt: { ...positionOf(state), stage: "done" },
    correcting: null,
    acknowledgment: "",
    reason,
  };
}

export function startOf(phase: InterviewPhase): InterviewPosition {
  return { interviewPhase: phase, questionIndex: 0, stage: "questions" };
}

export function positionOf({ interviewPhase: phase, questionIndex, stage }: InterviewPosition): InterviewPosition {
  return { interviewPhase: phase, questionIndex, stage };
}

export function answerTo(state: InterviewState, question: QuestionId): string | null {
  return state.extractedRequirements.find((one) => one.question === question)?.text ?? null;
}

/** Every question of the phase has an answer. */
export function isAnswered(state: InterviewState, phase: InterviewPhase): boolean {
  return questionsOf(phase).every(({ id }) => answerTo(state, id) !== null);
}

export function mayDelegate(state: InterviewState): boolean {
  return state.reason !== null || REQUIRED_QUESTIONS.every((id) => answerTo(state, id) !== null);
}

/** The furthest phase that was reached; earlier ones can be visited again. */
export function reachedPhase({ interviewPhase: phase, resumeAt }: InterviewState): InterviewPhase {
  return resumeAt?.interviewPhase ?? phase;
}

export function isReached(state: InterviewState, phase: InterviewPhase): boolean {
  return INTERVIEW_PHASES.indexOf(phase) <= INTERVIEW_PHASES.indexOf(reachedPhase(state));
}
