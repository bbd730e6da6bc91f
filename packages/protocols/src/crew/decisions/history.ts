import { parseStrictJson } from "@slipway/kernel/schema/json";
import { z } from "zod";
import { instantSchema } from "../contract/names.ts";
import { asksForChanges } from "./gate-answers.ts";
import type { UserDecision } from "./decision.ts";

export const HISTORY_FILE = "approve-design-history.jsonl";

const lineSchema = z.looseObject({ at: instantSchema, decision_id: z.string(), answer: z.string(), state_context: z.string() });
export type HistoryEntry = z.infer<typeof lineSchema>;

/** Lines that were cut off by a crash are not read; the next append begins on a line of its own. */
export function historyEntries(text: string): HistoryEntry[] {
  return text.split("\n").flatMap((line) => {
    const json = parseStrictJson(line);
    const read = json.ok ? lineSchema.safeParse(json.value) : null;
    return read?.success === true ? [read.data] : [];
  });
}

/** The text with one line more for a request of changes, or unchanged if it has that line or nothing asks for changes. */
export function withRequest(history: string, decision: UserDecision | null): string {
  if (decision?.status !== "answered" || !asksForChanges(decision)) return history;
  const { resolved_at: at, decision_id, answer, state_context } = decision;
  const isThere = historyEntries(history).some((entry) => entry.at === at && entry.answer === answer);
  if (isThere) return history;
  const start = history === "" || history.endsWith("\n") ? history : `${history}\n`;
  return `${start}${JSON.stringify({ at, decision_id, answer, state_context })}\n`;
}
