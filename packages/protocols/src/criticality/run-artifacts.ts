import { z } from "zod";
import { WITNESS_LEVELS, witnessSchema } from "@slipway/languages/witnesses/definition";
import { TIERS } from "./escalation/attempts.ts";

const functionRow = z.strictObject({
  id: z.string(),
  status: z.enum(["hole", "accepted", "failed"]),
  attempts: z.int(),
  /** The tier of the last attempt; null before the first. */
  tier: z.enum(TIERS).nullable(),
  claims: z.array(z.string()),
  /** What an external verifier said of the last attempt; missing for functions that are not critical. */
  formal: z.strictObject({ verdict: z.enum(["pass", "fail", "inconclusive"]), message: z.string() }).optional(),
});

const claimRow = z.strictObject({
  id: z.string(),
  text: z.string(),
  type: z.string(),
  status: z.enum(["open", "pass", "violated", "untested"]),
  reason: z.string().nullable(),
});

const transformRow = z.strictObject({ function: z.string(), pattern: z.string(), smell: z.string(), reason: z.string().nullable() });

/** What the phases of a run have produced so far, for commands and views. It holds no bodies and nothing that a person said. */
export const runArtifactsSchema = z.strictObject({
  spec: z.string().nullable(),
  functions: z.array(functionRow),
  witnesses: z.array(
    z.strictObject({
      name: z.string(),
      description: z.string(),
      definition: witnessSchema.nullable().default(null),
      level: z.enum(WITNESS_LEVELS),
      invariants: z.array(z.strictObject({ id: z.string(), level: z.enum(WITNESS_LEVELS) })),
    }),
  ),
  claims: z.array(claimRow),
  accepted: z.array(transformRow),
  reverted: z.array(transformRow),
  smells: z.array(z.string()),
  /** The scan of the whole program after the last function: findings that did not block, and scanners that did not run. */
  scan: z
    .strictObject({
      findings: z.int(),
      ran: z.array(z.string()),
      not_run: z.array(z.strictObject({ tool: z.string(), reason: z.string() })),
    })
    .nullable(),
  unmet: z.array(z.string()),
});

export type RunArtifacts = z.output<typeof runArtifactsSchema>;
export type FunctionRow = RunArtifacts["functions"][number];

export const NO_ARTIFACTS: RunArtifacts = {
  spec: null,
  functions: [],
  witnesses: [],
  claims: [],
  accepted: [],
  reverted: [],
  smells: [],
  scan: null,
  unmet: [],
};

/** `{}` is the row of a run that has produced nothing. */
export function readArtifacts(text: string): RunArtifacts {
  return runArtifactsSchema.parse({ ...NO_ARTIFACTS, ...(JSON.parse(text) as object) });
}
