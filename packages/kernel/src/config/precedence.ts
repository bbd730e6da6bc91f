import { z } from "zod";
import { errorCodes } from "../schema/shape.ts";

export const PRECEDENCE = ["policy_hard_constraints", "gates_profile_defaults", "plan_verification_overrides"] as const;

/** A list, highest first, or ranks (1 is highest). Only one order is legal; the policy states it so that no other order is assumed. */
export const configPrecedence = z
  .union([z.array(z.string()), z.record(z.string(), z.number())])
  .refine((written) => orderOf(written).join() === PRECEDENCE.join(), { error: `must rank ${PRECEDENCE.join(", then ")}` })
  .transform(() => [...PRECEDENCE])
  .register(errorCodes, { code: "invalid_override_precedence" });

function orderOf(written: readonly string[] | Readonly<Record<string, number>>): readonly string[] {
  if (Array.isArray(written)) return written;
  const ranks = Object.entries(written);
  if (new Set(ranks.map(([, rank]) => rank)).size < ranks.length) return [];
  return ranks.toSorted(([, a], [, b]) => a - b).map(([name]) => name);
}
