import { z } from "zod";
import { roleKey } from "./role-key.ts";

/** What may be spent; what is left out is not limited. */
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
  /** What one call may take: reserved instead of our own estimate, and handed on to clients that can keep to it. */
  call: limits.omit({ max_calls: true }).optional(),
});

export type BudgetLimits = z.output<typeof limits>;
