import { z } from "zod";
import { contradictionSchema } from "../audit/report.ts";
import { attemptSchema, nextActionSchema } from "../escalation/attempts.ts";
import { structuralDefectSchema } from "../escalation/breakers.ts";
import { failureSchema } from "../escalation/failures.ts";
import { blockReasonSchema } from "./block.ts";
import { finalArtifactsSchema, SUB_STATES, summarySchema, type DataOf, type SubStateName } from "./states.ts";

const names = z.array(z.string());
const count = z.int().min(0);

/**
 * What the work of a sub-state has found. Without any field nothing is known yet; with one, an artifact that is not listed does not
 * exist. `artifacts` has the names that `ARTIFACTS` explains; other fields stand for theirs.
 */
export const factsSchema = z.strictObject({
  now: z.iso.datetime().optional(),
  artifacts: names.optional(),
  /** Where no check is needed, as for the tests of a trivial transform, it counts as passed. */
  compile: z.enum(["passed", "failed"]).optional(),
  tests: z.enum(["passed", "failed"]).optional(),
  problems: SUB_STATES.lattice.repairingStructure.shape.errors.optional(),
  maxRepairAttempts: count.optional(),
  /** All that were found so far, by any auditor. */
  contradictions: z.strictObject({ found: z.array(contradictionSchema), severity: z.enum(["simple", "complex"]) }).optional(),
  functions: z
    .strictObject({
      remaining: names,
      completed: names,
      failed: names,
      /** Hole markers left in the source. */
      holes: count,
      /** The report of a rate breaker that tripped, or of a coherence failure. */
      breaker: structuralDefectSchema.nullable(),
    })
    .optional(),
  /** The attempt to make next. */
  attempt: attemptSchema.optional(),
  implementation: z.string().optional(),
  failure: z.strictObject({ failure: failureSchema, action: nextActionSchema }).optional(),
  clusters: z
    .strictObject({
      definitions: SUB_STATES.mesoscopic.generatingTests.shape.clusters,
      testsGenerated: names,
      /** Clusters not run yet, without the one that runs. */
      remaining: names,
      testsRun: count,
      testsFailed: count,
      verdict: SUB_STATES.mesoscopic.handlingVerdict.shape.verdict.nullable(),
    })
    .optional(),
  metrics: z
    .strictObject({
      violations: SUB_STATES.massDefect.analyzingComplexity.shape.violations,
      smells: count,
      /** Applicable patterns that were not tried. */
      untriedPatterns: count,
      /** Transforms accepted in the last full pass; null before one has ended. */
      acceptedInPass: count.nullable(),
    })
    .optional(),
  transform: SUB_STATES.massDefect.applyingTransform.optional(),
  transformed: SUB_STATES.massDefect.verifyingSemantics.optional(),
  /** The id of the option that a person chose. */
  humanResponse: z.string().optional(),
  block: blockReasonSchema.optional(),
  /** How many blocks the run had before. */
  blocks: count.optional(),
  completion: z.strictObject({ finalArtifacts: finalArtifactsSchema, summary: summarySchema }).optional(),
});

/** The data of the next sub-state, where the machine cannot derive it. It is used if the run goes there. */
export type NextData = { [N in SubStateName]: { readonly subState: N; readonly data: DataOf[N] } }[SubStateName];

export interface ExtensionData {
  readonly subState: string & {};
  readonly data: unknown;
}

export type Facts = z.output<typeof factsSchema> & { readonly next?: NextData | ExtensionData | undefined };

/** Names in `Facts.artifacts`, and names that follow from another field or from the state. */
export const ARTIFACTS = {
  answer: "an answer of the interview, which goes on",
  requiredAnswers: "all answers of Discovery and Architecture",
  allAnswers: "the answers to every question",
  proposal: "the architect's proposal, not challenged yet",
  challenge: "the auditor's challenge",
  revisedProposal: "the proposal to show to the user",
  spec: "spec.toml, final and valid",
  interview: "the interview's files",
  proposals: "all versions of the proposal",
  module: "one generated module; more follow",
  lattice: "the whole skeleton",
  witnesses: "type witnesses",
  contracts: "micro-contracts",
  repair: "a repaired skeleton",
  findings: "the findings of one auditor (`contradictions`)",
  auditReport: "the findings of all auditors",
  resolvableReport: "a contradiction report that is simple",
  validatedStructure: "a lattice without contradictions",
  selectedFunction: "a function to implement (`attempt` or `functions.remaining`)",
  nextAttempt: "`attempt`",
  implementation: "`implementation`",
  testResults: "`tests`",
  retry: "a failure that is tried again in its tier",
  escalation: "a failure that goes to another tier",
  implementedCode: "the source without holes",
  requeuedFunctions: "`functions`, with those of the failed cluster as holes again",
  clusterTestFile: "tests of one cluster; more follow (`clusters`)",
  clusterTests: "tests of all clusters (`clusters`)",
  verdict: "`clusters.verdict`",
  verifiedCode: "code whose clusters all passed",
  fileAnalysis: "the analysis of one file; more follow",
  transform: "`transform`",
  transformedCode: "`transformed`",
  skippedTransform: "a guard of the pattern applies, or the model gave no function",
  exhaustedCatalog: "no untried applicable pattern (`metrics`)",
  fruitlessPass: "a full pass that accepted nothing (`metrics`)",
  finalArtifacts: "`completion`",
} as const;

export type ArtifactName = keyof typeof ARTIFACTS;
