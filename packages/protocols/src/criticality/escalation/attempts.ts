import { z } from "zod";
import type { RoleAlias } from "../routing/roles.ts";

export const TIERS = ["worker", "fallback1", "fallback2"] as const;
export const tierSchema = z.enum(TIERS);
export type InjectionTier = z.output<typeof tierSchema>;

export const TIER_ROLE = {
  worker: "worker_model",
  fallback1: "structurer_model",
  fallback2: "architect_model",
} as const satisfies Readonly<Record<InjectionTier, RoleAlias>>;

/** The key of `[models]` that may name another model for a fallback tier than the one of its role. */
export const TIER_MODEL_KEY = {
  worker: undefined,
  fallback1: "worker_fallback_1",
  fallback2: "worker_fallback_2",
} as const satisfies Readonly<Record<InjectionTier, string | undefined>>;

/** One attempt at a function. Both numbers count from 1. */
export const attemptSchema = z.strictObject({
  functionId: z.string(),
  currentTier: tierSchema,
  /** Restarts at 1 on every change of tier. */
  attemptInTier: z.int().min(1),
  totalAttempts: z.int().min(1),
});

export type InjectionAttempt = z.output<typeof attemptSchema>;

export const nextActionSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("retry"), hint: z.enum(["none", "syntax", "types"]) }),
  z.strictObject({ type: z.literal("escalate"), from: z.enum(["worker", "fallback1"]), to: z.enum(["fallback1", "fallback2"]) }),
  /** With `humanReview` the question also shows the failing tests or the violation. */
  z.strictObject({ type: z.literal("circuitBreak"), humanReview: z.boolean() }),
  z.strictObject({ type: z.literal("block"), reason: z.literal("security_review") }),
  z.strictObject({ type: z.literal("returnToLattice") }),
]);

export type NextAction = z.output<typeof nextActionSchema>;

export interface AttemptLimits {
  readonly max_attempts_per_function: number;
  readonly require_opus_attempt: boolean;
}

/** The first attempt. If the cap allows only one, and the architect must have tried, it is the architect's. */
export function firstAttempt(functionId: string, limits: AttemptLimits, tier: InjectionTier = "worker"): InjectionAttempt {
  const onlyOne = limits.require_opus_attempt && limits.max_attempts_per_function <= 1;
  return { functionId, currentTier: onlyOne ? "fallback2" : tier, attemptInTier: 1, totalAttempts: 1 };
}

/** The attempt that a retry or an escalation leads to; null after any other action. */
export function attemptAfter(attempt: InjectionAttempt, action: NextAction): InjectionAttempt | null {
  const totalAttempts = attempt.totalAttempts + 1;
  if (action.type === "retry") return { ...attempt, attemptInTier: attempt.attemptInTier + 1, totalAttempts };
  if (action.type === "escalate") return { ...attempt, currentTier: action.to, attemptInTier: 1, totalAttempts };
  return null;
}
