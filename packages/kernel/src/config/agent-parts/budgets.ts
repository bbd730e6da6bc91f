import { z } from "zod";
import { roleKey } from "./role-key.ts";

/** Limits; a missing one means unlimited. */
const limits = z.strictObject({
  max_cost_usd: z.number().positive().optional(),
  max_tokens: z.int().positive().optional(),
  max_calls: z.int().positive().optional(),
  /** Of the agents' own time, added up. */
  max_minutes: z.number().positive().optional(),
});

export const budgetsPart = z.strictObject({
  /** All of a run. */
  run: limits.optional(),
  /** Each feature of a run. */
  feature: limits.optional(),
  /** Each role in a run. */
  roles: z.record(roleKey, limits).prefault({}),
  /** Limit of one call: reserved instead of Slipway's own estimate, and passed to clients that support it. */
  call: limits.omit({ max_calls: true }).optional(),
});

export type BudgetLimits = z.output<typeof limits>;
