import type { AttemptLimits, InjectionTier, NextAction } from "./attempts.ts";
import type { FailureType, InjectionFailure } from "./failures.ts";
import { escalationTable, rowFailure, type RetryLimits } from "./table.ts";

export interface FailedAttempts {
  readonly tier: InjectionTier;
  /** Attempts in this tier, the failed one included. */
  readonly attemptInTier: number;
  readonly totalAttempts: number;
  readonly architectAttempts: number;
}

export interface EscalationSettings extends RetryLimits, AttemptLimits {}

/** Failures about which a person must see more than that they happened. */
const REVIEWED: ReadonlySet<FailureType> = new Set(["test", "semantic", "complexity"]);

/** What follows a failed attempt: the row of the table, within the cap on attempts. No model takes part. */
export function nextAction(failure: InjectionFailure, attempts: FailedAttempts, settings: EscalationSettings): NextAction {
  const action = rowAction(failure, attempts, settings);
  if (action.type !== "retry" && action.type !== "escalate") return action;
  const left = settings.max_attempts_per_function - attempts.totalAttempts;
  if (left <= 0) return { type: "circuitBreak", humanReview: REVIEWED.has(failure.type) };
  const { tier } = attempts;
  // The last attempt is the architect's if it has had none.
  if (left === 1 && settings.require_opus_attempt && attempts.architectAttempts === 0 && tier !== "fallback2") {
    return { type: "escalate", from: tier, to: "fallback2" };
  }
  return action;
}

function rowAction(failure: InjectionFailure, { tier, attemptInTier }: FailedAttempts, settings: EscalationSettings): NextAction {
  const name = rowFailure(failure, tier);
  const row = escalationTable(settings).find(
    (row) => row.failure === name && row.tier === tier && row.from <= attemptInTier && attemptInTier <= row.to,
  );
  // Each failure has rows for every tier and every attempt from 1 (a test checks it).
  return row?.action ?? { type: "circuitBreak", humanReview: true };
}
