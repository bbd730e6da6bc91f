export type QuestionStatus = "open" | "answered" | "expired" | "withdrawn";

/** Allowed transitions. Only an open question changes its status: the first end wins. */
export const QUESTION_TRANSITIONS: Readonly<Record<QuestionStatus, readonly QuestionStatus[]>> = {
  open: ["answered", "expired", "withdrawn"],
  answered: [],
  expired: [],
  withdrawn: [],
};

/** The statuses from which a question may reach `to`, for the condition of the write. */
export function statusesBefore(to: QuestionStatus): QuestionStatus[] {
  return Object.entries(QUESTION_TRANSITIONS).flatMap(([from, next]) => (next.includes(to) ? [from as QuestionStatus] : []));
}
