export type QuestionStatus = "open" | "answered" | "expired" | "withdrawn";

/** Where a question may go. Whatever is not open stays as it is: the first end wins. */
export const QUESTION_TRANSITIONS: Readonly<Record<QuestionStatus, readonly QuestionStatus[]>> = {
  open: ["answered", "expired", "withdrawn"],
  answered: [],
  expired: [],
  withdrawn: [],
};

/** The statuses from which a question may get there; for the condition inside the write. */
export function statusesBefore(to: QuestionStatus): QuestionStatus[] {
  return Object.entries(QUESTION_TRANSITIONS).flatMap(([from, next]) => (next.includes(to) ? [from as QuestionStatus] : []));
}
