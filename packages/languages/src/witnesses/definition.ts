import { z } from "zod";

export const WITNESS_LEVELS = ["proof", "distinction", "runtime", "doc"] as const;
export type WitnessLevel = (typeof WITNESS_LEVELS)[number];

/** A type that stands for an invariant of its values, independent of a language. */
export const witnessSchema = z.strictObject({
  name: z.string().regex(/^[A-Z][A-Za-z0-9]*$/),
  description: z.string(),
  base: z.strictObject({
    generic: z.boolean(),
    type_params: z.array(z.strictObject({ name: z.string(), bounds: z.array(z.string()) })),
    inner_type: z.string(),
  }),
  /** `formal` is a boolean expression of the target language over `value`, where the language can check it. */
  invariants: z.array(z.strictObject({ id: z.string(), description: z.string(), formal: z.string(), testable: z.boolean() })),
  constructors: z.array(z.strictObject({ name: z.string(), trust_level: z.enum(["safe", "unsafe"]) })),
});

export type WitnessDefinition = z.infer<typeof witnessSchema>;

export interface GeneratedWitness {
  readonly path: string;
  readonly text: string;
  /** The level of each invariant, and the weakest of them for the witness. */
  readonly level: WitnessLevel;
  readonly invariants: readonly { readonly id: string; readonly level: WitnessLevel }[];
}
