import { witnessSchema } from "@slipway/languages/witnesses/definition";
import { z } from "zod";

/** The structurer's answer to `generate_witness`. */
export const witnessesAnswer = z.strictObject({
  witnesses: z.array(witnessSchema).max(200).describe("Types that stand for an invariant of their values."),
});

const scaffoldFile = z.strictObject({
  path: z.string().max(200).describe("Below src/domain or src/services."),
  feature: z.string().nullable().describe("The id of the feature in the specification that needs this file; null for shared types."),
  text: z.string().max(200_000),
});

const callsOfFunction = z.strictObject({
  function: z.string().describe("PATH#NAME, as in src/domain/account.ts#deposit, or PATH#Class.method."),
  calls: z.array(z.string()).describe("The functions of the skeleton that it needs, in the same form."),
});

/** The structurer's answer to `scaffold_module`. */
export const scaffoldAnswer = z.strictObject({
  files: z.array(scaffoldFile).max(2_000),
  calls: z.array(callsOfFunction).describe("Functions that need others; the others are written first."),
});

export type Scaffold = z.infer<typeof scaffoldAnswer>;
