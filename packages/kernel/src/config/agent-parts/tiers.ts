import { z } from "zod";

/** The capability of a model that a role asks for, cheapest first. */
export const TIERS = ["fast", "standard", "strong"] as const;
export type Tier = (typeof TIERS)[number];

/** Provider and model of a tier; a role that fails repeatedly moves to the next tier. */
export function tiersPart<C extends z.ZodType>(choice: C) {
  return z.strictObject({ fast: choice.optional(), standard: choice.optional(), strong: choice.optional() });
}
