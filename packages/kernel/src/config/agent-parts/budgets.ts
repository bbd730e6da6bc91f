import { z } from "zod";

/** What may be spent; what is left out is not limited. */
const limits = z.strictObject({
  max_cost_usd: z.number().positive().optional(),
  max_tokens: z.int().positive().optional(),
  max_calls: z.int().positive().optional(),
  max_minutes: z.number().positive().optional(),
});

export const budgetsPart = z.strictObject({
  run: limits.optional(),
  feature: limits.optional(),
  roles: z.record(z.string(), limits).prefault({}),
});

export type BudgetLimits = z.output<typeof limits>;
