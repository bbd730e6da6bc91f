import type { CompletionStatus } from "../agents.ts";
import type { TaskSize } from "../schemas/enums.ts";

/** Passed `after` checks that a task needs in the current round. */
export const SIGNALS_NEEDED: Readonly<Record<TaskSize, number>> = { Standard: 2, Large: 3 };
export const REVIEWERS = 3;
export const APPROVALS_NEEDED = 2;

/** What the ledger and the verifier say of one task in its current round. */
export interface TaskVerification {
  readonly task_id: string;
  readonly size: TaskSize;
  readonly verifier: CompletionStatus;
  /** Rows with phase `after` and passed = 1. */
  readonly passed: number;
  /** Failed `after` checks that count: no markers, and none that already failed in the baseline. */
  readonly failed: number;
}

export function isVerified({ size, verifier, passed, failed }: TaskVerification): boolean {
  return verifier === "DONE" && failed === 0 && passed >= SIGNALS_NEEDED[size];
}
