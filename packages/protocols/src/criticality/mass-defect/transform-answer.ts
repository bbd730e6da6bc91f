import { z } from "zod";

const MAX_CHARACTERS = 64_000;
const MAX_DECLARATIONS = 5;

/** What a model answers to a pattern: the function, with new private declarations if it needs any, or the guard that applies. */
export const transformAnswerSchema = z.discriminatedUnion("outcome", [
  z.strictObject({
    outcome: z.literal("transformed"),
    function: z.string().min(1).max(MAX_CHARACTERS),
    declarations: z.array(z.string().min(1).max(MAX_CHARACTERS)).max(MAX_DECLARATIONS).default([]),
  }),
  z.strictObject({ outcome: z.literal("guarded"), guard: z.string().regex(/\S/).max(1_000) }),
]);

export type TransformAnswer = z.output<typeof transformAnswerSchema>;
export type TransformedFunction = Extract<TransformAnswer, { readonly outcome: "transformed" }>;

/** The auditor's answer about a transformation of high risk. */
export const preservationSchema = z.strictObject({ preserves: z.boolean(), reason: z.string().max(4_000) });
