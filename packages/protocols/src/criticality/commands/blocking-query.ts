import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import type { Records } from "@slipway/kernel/record/storage";
import type { QueryOption } from "../machine/block.ts";
import type { CriticalityState } from "../machine/states.ts";
import { BLOCK_QUESTION } from "./answer-command.ts";

/** A model gave no usable answer; the run waits with two options. */
const NO_ANSWER = "blocked";

/** What blocks a run. */
export interface BlockingQuery {
  readonly id: string;
  readonly question: string;
  readonly options: readonly QueryOption[];
  /** Null if it is answered, and the run has not continued since. */
  readonly asked: InboxQuestion | null;
}

export async function openQuestions({ inbox }: Pick<Records, "inbox">, runId: string): Promise<InboxQuestion[]> {
  return (await inbox.listOpen()).filter(({ runId: of }) => of === runId || of?.startsWith(`${runId}/`) === true);
}

/** Null if nothing blocks: questions of the interview and approvals are answered elsewhere. */
export function blockingQuery(state: CriticalityState, open: readonly InboxQuestion[]): BlockingQuery | null {
  if (state.type === "blocked") {
    const { id, question, options } = state.data.query;
    return { id, question, options, asked: open.find(({ kind }) => kind === BLOCK_QUESTION) ?? null };
  }
  const asked = open.find(({ kind }) => kind === NO_ANSWER);
  if (asked === undefined) return null;
  const options = asked.options.map(({ value, label }) => ({ id: value, label, implications: [] }));
  return { id: asked.name, question: `${asked.title}\n${asked.body}`, options, asked };
}

/** The question, and its options with their numbers and implications. */
export function queryLines({ id, question, options }: Pick<BlockingQuery, "id" | "question" | "options">): string[] {
  return [
    `Blocked by ${id}:`,
    ...question.split("\n").map((line) => `  ${line}`),
    ...options.flatMap(({ label, id: name, implications }, index) => [
      `  ${index + 1}. ${label} (${name})`,
      ...implications.map((line) => `     ${line}`),
    ]),
  ];
}
