import { z } from "zod";

/** How capable a model a role asks for, from the cheapest on. */
export const TIERS = ["fast", "standard", "strong"] as const;
export type Tier = (typeof TIERS)[number];

/** Who plays the roles of a tier; a role that fails again and again is played by the next one. */
export function tiersPart<C extends z.ZodType>(choice: C) {
  return z.strictObject({ fast: choice.optional(), standard: choice.optional(), strong: choice.optional() });
}
