import { z } from "zod";

export const PURITIES = ["pure", "reads", "writes", "io"] as const;

/** One clause of a contract, with the line of its keyword in the file or text it was read from. */
export const clauseSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.enum(["REQUIRES", "ENSURES", "INVARIANT"]), predicate: z.string(), line: z.int() }),
  z.strictObject({ kind: z.literal("COMPLEXITY"), bound: z.string(), line: z.int() }),
  z.strictObject({ kind: z.literal("PURITY"), purity: z.enum(PURITIES), line: z.int() }),
  z.strictObject({ kind: z.literal("CLAIM_REF"), claim: z.string().regex(/^[a-z_]+_[0-9]+$/), line: z.int() }),
]);

export type Clause = z.infer<typeof clauseSchema>;

export interface MicroContract {
  readonly clauses: readonly Clause[];
}
