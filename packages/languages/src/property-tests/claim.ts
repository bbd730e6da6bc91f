import { z } from "zod";

export const CLAIM_TYPES = ["invariant", "behavioral", "negative", "temporal", "concurrent", "performance"] as const;
export type ClaimType = (typeof CLAIM_TYPES)[number];

const variable = z.string().regex(/^[a-z][A-Za-z0-9_]*$/);
/** A value that the test generates, by its type in the target language. */
const generated = z.strictObject({ name: variable, type: z.string() });

/** What a template needs to write a claim as a test: expressions of the target language over the public interface. */
export const claimTestSchema = z.strictObject({
  inputs: z.array(generated).default([]),
  /** Values that each run makes anew, in order; one may use those before it. */
  setup: z.array(z.strictObject({ name: variable, value: z.string(), type: z.string().optional() })).default([]),
  /** A call is made only if `when` holds. Its own inputs are generated for every call. */
  operations: z
    .array(
      z.strictObject({
        call: z.string(),
        when: z.string().nullable().default(null),
        inputs: z.array(generated).default([]),
        /** The variable of `setup` that has a new value after the call, which may be made of `result`. */
        update: z.strictObject({ name: variable, value: z.string() }).optional(),
      }),
    )
    .min(1),
  /**
   * Must hold at the end, and at the start and after every operation for claims about all states; if it uses `result`, after every
   * operation. For a negative claim, after the call that fails.
   */
  assert: z.string().nullable().default(null),
  /** Steps of the clock in milliseconds, for a temporal claim. */
  clock_steps_ms: z.array(z.int().positive()).default([]),
  /** Growth of the time of the first operation with `n`, which `setup` uses, for a performance claim. */
  bound: z.string().nullable().default(null),
});

export type ClaimTestParts = z.infer<typeof claimTestSchema>;

/** A claim of a specification in the form that a template can turn into a test. */
export const structuredClaimSchema = z.strictObject({
  type: z.enum(CLAIM_TYPES),
  subject: z.string(),
  predicate: z.string(),
  scope: z.string(),
  testable: z.boolean(),
  requires_mocking: z.array(z.string()),
  suggested_generators: z.array(z.string()),
  /** Without it the subject is a function and the predicate a condition over its parameters and result. */
  test: claimTestSchema.optional(),
});

/** With its id and text from the specification. */
export type StructuredClaim = z.infer<typeof structuredClaimSchema> & { readonly id: string; readonly text: string };
