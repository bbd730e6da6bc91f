import { moduleRef } from "@slipway/languages/contracts/schema";
import { z } from "zod";
import { EXCEPTION_TYPES } from "../exceptions/schema.ts";

const nonEmpty = z.string().regex(/\S/);

/**
 * What a Proposer or Challenger returns if the contract of a dependency is not sufficient. The exception store decides whether it may be
 * raised.
 */
export const interfaceChangeSchema = z.strictObject({
  exception_type: z
    .enum(EXCEPTION_TYPES)
    .describe(
      "What is wrong with the contract: it cannot serve, can be read in two ways, leaves something out, or lacks a whole dimension.",
    ),
  target_module: moduleRef.describe("One that is depended on, never the module itself."),
  reason: nonEmpty,
  evidence: z.array(nonEmpty).min(1),
  proposed_delta: z.record(z.string(), z.unknown()),
  compatibility: z.enum(["BACKWARD_COMPATIBLE", "BREAKING", "UNKNOWN"]),
  urgency: z.enum(["BLOCKING", "HIGH", "NORMAL", "LOW"]),
});
export type InterfaceChange = z.infer<typeof interfaceChangeSchema>;
