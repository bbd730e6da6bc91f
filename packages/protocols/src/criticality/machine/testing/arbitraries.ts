import fc from "fast-check";
import { BLOCK_OPTIONS } from "../block-options.ts";
import type { BlockReason } from "../block.ts";
import { ARTIFACTS, type Facts } from "../facts.ts";
import { FAILURE_TYPES, type InjectionFailure } from "../../escalation/failures.ts";

export const NOW = "2026-11-18T12:00:00.000Z";

const name = fc.constantFrom("a", "b", "c", "src/bank.ts#deposit");
const names = fc.uniqueArray(name, { maxLength: 3 });
const count = fc.nat(7);

export const contradiction = {
  id: "TEMPORAL_001",
  severity: "warning" as const,
  involved: [{ constraint: "cache for 5 minutes" }],
  analysis: "stale",
  minimal_scenario: [],
  suggested_resolution_options: ["exclude it"],
};

export const failure: InjectionFailure = { type: "test", failingTests: [{ test: "empty", message: "expected 1, got 2" }] };

export const defect = {
  condition: "module_escalation_rate" as const,
  rate: 0.3,
  functions: ["a"],
  modules: ["m"],
  failureTypes: [FAILURE_TYPES[0]],
};

const attempt = { functionId: "a", currentTier: "worker" as const, attemptInTier: 1, totalAttempts: 1 };

export const REASONS: Readonly<Record<BlockReason["type"], BlockReason>> = {
  canonical_conflict: { type: "canonical_conflict", decisions: ["d001", "d002"] },
  unresolved_contradiction: { type: "unresolved_contradiction", report: { contradictions_found: [contradiction] } },
  circuit_breaker: { type: "circuit_breaker", failedFunction: "a", attempts: [{ ...attempt, failure }], defect },
  security_review: {
    type: "security_review",
    vulnerability: [{ rule: "eval", severity: "high", location: "a", message: "code from a text" }],
  },
  user_requested: { type: "user_requested", message: "stop here" },
  archive_failure: { type: "archive_failure", message: "no space left" },
  structural_defect: { type: "structural_defect", message: "it does not compile" },
  provider_unavailable: { type: "provider_unavailable", message: "claude is not installed" },
  context_overflow: { type: "context_overflow", message: "250000 tokens" },
};

const action = fc.constantFrom<NonNullable<Facts["failure"]>["action"][]>(
  { type: "retry", hint: "none" },
  { type: "escalate", from: "worker", to: "fallback1" },
  { type: "circuitBreak", humanReview: true },
  { type: "block", reason: "security_review" },
  { type: "returnToLattice" },
);

const verdict = fc.oneof(fc.constant({ type: "pass" as const }), fc.record({ type: fc.constant("fail" as const), violatedClaims: names }));
const violation = { function: "a", metric: "cyclomatic", measured: 12, limit: 10 };
const responses = [...new Set(Object.values(BLOCK_OPTIONS).flatMap((options) => options.map(({ id }) => id)))];

/** Any facts that fit the schema, complete or not. Blocks and breakers are rare, so that a walk gets far. */
export const anyFacts: fc.Arbitrary<Facts> = fc.record(
  {
    now: fc.constant(NOW),
    artifacts: fc.uniqueArray(fc.constantFrom(...Object.keys(ARTIFACTS)), { maxLength: 15 }),
    compile: fc.constantFrom("passed", "failed"),
    tests: fc.constantFrom("passed", "failed"),
    maxRepairAttempts: count,
    contradictions: fc.record({ found: fc.constantFrom([], [contradiction]), severity: fc.constantFrom("simple", "complex") }),
    functions: fc.record({
      remaining: names,
      completed: names,
      failed: fc.oneof({ weight: 4, arbitrary: fc.constant<string[]>([]) }, names),
      holes: fc.nat(1),
      breaker: fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, fc.constant(defect)),
    }),
    attempt: fc.record({
      functionId: name,
      currentTier: fc.constantFrom("worker", "fallback1", "fallback2"),
      attemptInTier: fc.integer({ min: 1, max: 3 }),
      totalAttempts: fc.integer({ min: 1, max: 8 }),
    }),
    implementation: fc.string(),
    failure: fc.record({ failure: fc.constant(failure), action }),
    clusters: fc.record({
      definitions: fc.array(fc.record({ name, modules: names, claims: names }), { maxLength: 3 }),
      testsGenerated: names,
      remaining: names,
      testsRun: count,
      testsFailed: count,
      verdict: fc.option(verdict),
    }),
    metrics: fc.record({
      violations: fc.constantFrom([], [violation]),
      smells: fc.nat(1),
      untriedPatterns: fc.nat(2),
      acceptedInPass: fc.option(fc.nat(2)),
    }),
    transform: fc.constant({ targetFunction: "a", transformation: "early-return", beforeCode: "x" }),
    transformed: fc.constant({ targetFunction: "a", afterCode: "y", testsToRun: ["t"] }),
    humanResponse: fc.constantFrom("approve", "approve", "revise", "reject", "conditional", "delegate", ...responses),
    block: fc.oneof({ weight: 20, arbitrary: fc.constant(undefined) }, fc.constantFrom(...Object.values(REASONS))),
    blocks: count,
    completion: fc.constant({
      finalArtifacts: { optimizedCode: "src", testSuite: "tests", coverageReport: "coverage.json" },
      summary: { cost: 1, durationMs: 2, escalations: 0, unmetTargets: [] },
    }),
  },
  { requiredKeys: [] },
);
