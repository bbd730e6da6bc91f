import { z } from "zod";

export const CLAIM_TYPES = ["invariant", "behavioral", "negative", "temporal", "concurrent", "performance"] as const;
export type ClaimType = (typeof CLAIM_TYPES)[number];

/** A claim of a specification in the form that a template can turn into a test. */
export const structuredClaimSchema = z.strictObject({
  type: z.enum(CLAIM_TYPES),
  subject: z.string(),
  predicate: z.string(),
  scope: z.string(),
  testable: z.boolean(),
  requires_mocking: z.array(z.string()),
  suggested_generators: z.array(z.string()),
});

/** With its id and text from the specification. */
export type StructuredClaim = z.infer<typeof structuredClaimSchema> & { readonly id: string; readonly text: string };
