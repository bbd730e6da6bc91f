import type { DispatchedRole } from "../agents.ts";
import { MAX_REPAIRS } from "../session/status.ts";
import type { CrewMode, LoopState } from "../states/states.ts";
import type { ReviewGate } from "./review-gates.ts";

export const LOOP_OF: Readonly<Record<ReviewGate, LoopState>> = { Reviewer: "FIX_REVIEW", QA: "FIX_TESTS", Security: "FIX_SECURITY" };

export interface RepairContext {
  readonly mode: CrewMode;
  /** Whether QA said that the defect is in the tests. */
  readonly defectInTests: boolean;
  /** `next.recommended_agent` of Integrator's last output. */
  readonly recommended: string | null;
}

/** Who repairs. */
export function repairRole(loop: LoopState, { mode, defectInTests, recommended }: RepairContext): DispatchedRole {
  if (loop === "FIX_TESTS") return defectInTests ? "QA" : "Coder";
  if (loop === "FIX_BUILD") return mode === "lean" || recommended === "Coder" ? "Coder" : "Integrator";
  return "Coder";
}

/** After a negative verdict: the number of the repair to count and dispatch, or null where a person decides. */
export function nextRepair(repairs: number): number | null {
  return repairs < MAX_REPAIRS ? repairs + 1 : null;
}

export const EXHAUSTED_OPTIONS = ["other approach", "accept with known issues", "simplify scope", "user guidance"] as const;
export type ExhaustedOption = (typeof EXHAUSTED_OPTIONS)[number];

export interface Attempt {
  readonly tried: string;
  readonly failed: string;
}

export function exhaustedQuestion(loop: LoopState, taskId: string, attempts: readonly Attempt[]): string {
  return [
    `${loop} of ${taskId} has been repaired ${MAX_REPAIRS} times and still fails.`,
    ...attempts.map(({ tried, failed }, index) => `${index + 1}. Tried: ${tried} Failed: ${failed}`),
    `Choose: ${EXHAUSTED_OPTIONS.join(", ")}. A text after a colon is passed on.`,
  ].join("\n");
}

export interface ExhaustedAnswer {
  /** The gate passes, and the issue goes to known_issues. */
  readonly waives: boolean;
  /** For the next repairs, which are counted from 0; null with a waiver. */
  readonly constraint: string | null;
}

/** Any text that is none of the options is guidance. */
export function exhaustedAnswer(answer: string): ExhaustedAnswer {
  const [head = "", ...rest] = answer.trim().split(":");
  const option = EXHAUSTED_OPTIONS.find(
    (each) =>
      each ===
      head
        .trim()
        .toLowerCase()
        .replaceAll(/[\s_-]+/g, " "),
  );
  if (option === "accept with known issues") return { waives: true, constraint: null };
  const text = option === undefined ? answer.trim() : rest.join(":").trim();
  return { waives: false, constraint: text === "" ? `The user chose: ${option}.` : text };
}
