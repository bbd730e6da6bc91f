import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { decisionRecord, type DecisionRecord } from "../schemas/decision.ts";

/** decisions.yaml. Ids repeat: each role numbers its own decisions. */
export const decisionLogSchema = z.object({ decisions: z.array(decisionRecord) });
export type DecisionLogFile = z.output<typeof decisionLogSchema>;

/** A new version may only add entries after those that are there. */
export function decisionLogProblems(before: DecisionLogFile, after: DecisionLogFile): string[] {
  return before.decisions.flatMap((entry, index) => {
    const kept = after.decisions[index];
    if (kept === undefined) return [`decisions.yaml, decisions/${index}: ${entry.id} is removed; the log is append-only`];
    return isDeepStrictEqual(kept, entry) ? [] : [`decisions.yaml, decisions/${index}: ${entry.id} is changed; the log is append-only`];
  });
}

/** Without entries that are there already, so that a repeated step adds nothing. */
export function appendDecisions({ decisions }: DecisionLogFile, added: readonly DecisionRecord[]): DecisionLogFile {
  return { decisions: [...decisions, ...added.filter((entry) => !decisions.some((known) => isDeepStrictEqual(known, entry)))] };
}
