import type { RunFiles } from "../files/run-files.ts";
import type { InterviewReply, PersonStep } from "./interview-questions.ts";
import { topicOf } from "./interview-questions.ts";
import type { InterviewState } from "./interview-state.ts";
import { stepTitle } from "./resume-summary.ts";

export const STATE_FILE = "interview/state.json";
export const TRANSCRIPT_FILE = "interview/transcript.jsonl";

/** One line of the transcript. Typed and spoken answers have the same form. */
export interface TranscriptTurn {
  readonly turn: number;
  readonly at: string;
  readonly interviewPhase: InterviewState["interviewPhase"];
  readonly kind: PersonStep["kind"];
  readonly topic: string;
  readonly question: string;
  readonly response: string;
  readonly input: InterviewReply["input"];
  readonly acknowledgment: string;
}

export function putState(files: Pick<RunFiles, "put">, state: InterviewState): void {
  files.put(STATE_FILE, `${JSON.stringify(state, null, 2)}\n`);
}

export function appendTurn(
  files: Pick<RunFiles, "append">,
  step: PersonStep,
  { said, input }: InterviewReply,
  before: InterviewState,
  after: InterviewState,
  at: number,
): void {
  const turn: TranscriptTurn = {
    turn: before.turn,
    at: new Date(at).toISOString(),
    interviewPhase: before.interviewPhase,
    kind: step.kind,
    topic: topicOf(step),
    question: stepTitle(step),
    response: said,
    input,
    acknowledgment: after.acknowledgment,
  };
  files.append(TRANSCRIPT_FILE, JSON.stringify(turn));
}
