import type { CompileResult } from "@slipway/languages/adapter";
import { SEVERITIES, type SecurityFinding } from "@slipway/languages/analysis/security";
import type { TestRun } from "@slipway/languages/typescript/test-run";
import { z } from "zod";

const testFailure = z.strictObject({ test: z.string(), message: z.string() });
export type TestFailure = z.output<typeof testFailure>;

/** Why an attempt at a function was discarded. */
export const failureSchema = z.discriminatedUnion("type", [
  /** Fatal (not recoverable): no hint can help, such as a body that closes its function and continues outside it. */
  z.strictObject({ type: z.literal("syntax"), parseError: z.string(), recoverable: z.boolean() }),
  z.strictObject({ type: z.literal("type"), compilerError: z.string() }),
  z.strictObject({ type: z.literal("test"), failingTests: z.array(testFailure) }),
  z.strictObject({ type: z.literal("timeout"), resource: z.string(), limit: z.number() }),
  z.strictObject({ type: z.literal("semantic"), violation: z.string() }),
  z.strictObject({ type: z.literal("complexity"), expected: z.string(), measured: z.string() }),
  z.strictObject({ type: z.literal("security"), vulnerability: z.string() }),
  z.strictObject({ type: z.literal("coherence"), conflictingFunctions: z.array(z.string()) }),
]);

export type InjectionFailure = z.output<typeof failureSchema>;

export const FAILURE_TYPES = ["syntax", "type", "test", "timeout", "semantic", "complexity", "security", "coherence"] as const;
export type FailureType = (typeof FAILURE_TYPES)[number];

/** What the tools found about one attempt. */
export interface AttemptEvidence {
  readonly conflictingFunctions?: readonly string[];
  readonly timeout?: { readonly resource: string; readonly limit: number };
  readonly syntax?: { readonly parseError: string; readonly recoverable: boolean };
  readonly compile?: CompileResult;
  readonly findings?: readonly SecurityFinding[];
  readonly tests?: TestRun;
  readonly violation?: string;
  readonly complexity?: { readonly expected: string; readonly measured: string; readonly passed: boolean };
}

const GRAVE = SEVERITIES.indexOf("high");

type Classifier = (evidence: AttemptEvidence) => InjectionFailure | null;

/** The first that applies is the class: what makes later evidence meaningless comes first. */
const CLASSIFIERS: readonly Classifier[] = [
  ({ conflictingFunctions: conflicting = [] }) =>
    conflicting.length === 0 ? null : { type: "coherence", conflictingFunctions: [...conflicting] },
  ({ timeout }) => (timeout === undefined ? null : { type: "timeout", ...timeout }),
  ({ syntax }) => (syntax === undefined ? null : { type: "syntax", ...syntax }),
  ({ compile }) => (compile === undefined || compile.passed ? null : { type: "type", compilerError: compilerError(compile) }),
  ({ findings = [] }) => {
    const grave = findings.find(({ severity }) => SEVERITIES.indexOf(severity) >= GRAVE);
    return grave === undefined ? null : { type: "security", vulnerability: `${grave.rule}: ${grave.message}` };
  },
  ({ tests }) => (tests === undefined ? null : failedTests(tests)),
  ({ violation }) => (violation === undefined ? null : { type: "semantic", violation }),
  ({ complexity }) =>
    complexity === undefined || complexity.passed
      ? null
      : { type: "complexity", expected: complexity.expected, measured: complexity.measured },
];

/** The one failure of an attempt; null if nothing failed. */
export function classify(evidence: AttemptEvidence): InjectionFailure | null {
  for (const classifier of CLASSIFIERS) {
    const failure = classifier(evidence);
    if (failure !== null) return failure;
  }
  return null;
}

function compilerError({ problems }: CompileResult): string {
  return problems.map(({ file, line, column, message }) => `${file ?? "(project)"}:${line}:${column}: ${message}`).join("\n");
}

function failedTests({ tests, broken }: TestRun): InjectionFailure | null {
  if (broken !== null) return { type: "test", failingTests: [{ test: "(run)", message: broken }] };
  const failing = tests.filter(({ result }) => result === "FAIL");
  if (failing.length === 0) return null;
  return { type: "test", failingTests: failing.map(({ name, error }) => ({ test: name, message: error?.message ?? "failed" })) };
}
