import type { Guard } from "./guards.ts";
import {
  and,
  archive,
  ask,
  at,
  BLOCK,
  blockedBy,
  COMPILE,
  COMPLETED,
  DESTROY,
  exists,
  not,
  notify,
  or,
  PERSIST,
  record,
  row,
  sequence,
  tests,
} from "./transition.ts";
import type { StateRef, Transition } from "./transition.ts";

const compiles: Guard = { type: "compileSuccess" };
const passes: Guard = { type: "testSuccess" };
const tripped: Guard = { type: "circuitBreakerTripped" };
const exhausted: Guard = { type: "tierExhausted" };
const complete: Guard = { type: "allFunctionsComplete" };
const clustersPass: Guard = { type: "allClustersPass" };

const IMPLEMENT = ask("worker_model", "implement_atomic");
const TO_LATTICE = sequence(
  record("structural_defect"),
  archive("lattice"),
  DESTROY,
  PERSIST,
  notify("phase_change"),
  ask("structurer_model", "scaffold_module"),
);

/** After a failed attempt, from where it was seen: the model gave nothing in time, or its body did not pass. */
const afterFailure = (from: StateRef): readonly Transition[] => [
  row(from, at("lattice.generatingStructure"), tripped, TO_LATTICE),
  row(from, blockedBy("circuit_breaker"), exhausted, BLOCK),
  row(from, at("injection.implementing"), and(exists("retry"), exists("nextAttempt")), sequence(PERSIST, IMPLEMENT)),
  row(from, at("injection.escalating"), exists("escalation"), sequence(PERSIST, IMPLEMENT)),
];

export const INJECTION: readonly Transition[] = [
  row(at("injection.selectingFunction"), at("lattice.generatingStructure"), tripped, TO_LATTICE),
  row(
    at("injection.selectingFunction"),
    at("mesoscopic.generatingTests"),
    complete,
    sequence(PERSIST, notify("phase_change"), ask("structurer_model", "parse_claims")),
  ),
  row(at("injection.selectingFunction"), at("injection.implementing"), exists("selectedFunction"), sequence(PERSIST, IMPLEMENT)),
  // Nothing is left to select, but functions failed: a person had chosen to continue past them.
  row(at("injection.selectingFunction"), blockedBy("circuit_breaker"), not(complete), BLOCK),
  ...afterFailure(at("injection.implementing")),
  row(at("injection.implementing"), at("injection.verifying"), exists("implementation"), sequence(PERSIST, COMPILE)),
  ...afterFailure(at("injection.verifying")),
  row(at("injection.verifying"), at("injection.selectingFunction"), and(compiles, passes), sequence(DESTROY, PERSIST, COMPILE)),
  row(
    at("injection.verifying"),
    at("injection.verifying"),
    and(compiles, not(exists("testResults"))),
    sequence(PERSIST, tests("function")),
  ),
  row(at("injection.escalating"), at("injection.implementing"), exists("nextAttempt"), sequence(DESTROY, PERSIST, IMPLEMENT)),
];

export const MESOSCOPIC: readonly Transition[] = [
  row(
    at("mesoscopic.generatingTests"),
    at("massDefect.analyzingComplexity"),
    clustersPass,
    sequence(DESTROY, PERSIST, notify("phase_change"), COMPILE),
  ),
  row(at("mesoscopic.generatingTests"), at("mesoscopic.executingCluster"), exists("clusterTests"), sequence(PERSIST, tests("cluster"))),
  row(
    at("mesoscopic.generatingTests"),
    at("mesoscopic.generatingTests"),
    exists("clusterTestFile"),
    sequence(PERSIST, ask("structurer_model", "parse_claims")),
  ),
  row(at("mesoscopic.executingCluster"), at("mesoscopic.handlingVerdict"), exists("verdict"), sequence(PERSIST, COMPILE)),
  row(
    at("mesoscopic.handlingVerdict"),
    at("massDefect.analyzingComplexity"),
    clustersPass,
    sequence(DESTROY, PERSIST, notify("phase_change"), COMPILE),
  ),
  row(at("mesoscopic.handlingVerdict"), at("mesoscopic.executingCluster"), passes, sequence(PERSIST, tests("cluster"))),
  row(
    at("mesoscopic.handlingVerdict"),
    at("injection.selectingFunction"),
    and(not(passes), exists("requeuedFunctions")),
    sequence(record("violated_claims"), DESTROY, PERSIST, notify("phase_change"), COMPILE),
  ),
];

export const MASS_DEFECT: readonly Transition[] = [
  row(
    at("massDefect.analyzingComplexity"),
    COMPLETED,
    and(or({ type: "metricsPass" }, exists("exhaustedCatalog"), exists("fruitlessPass")), exists("finalArtifacts")),
    sequence(DESTROY, PERSIST, notify("complete")),
  ),
  row(
    at("massDefect.analyzingComplexity"),
    at("massDefect.applyingTransform"),
    exists("transform"),
    sequence(PERSIST, ask("worker_model", "apply_pattern")),
  ),
  row(at("massDefect.analyzingComplexity"), at("massDefect.analyzingComplexity"), exists("fileAnalysis"), sequence(PERSIST, COMPILE)),
  row(
    at("massDefect.applyingTransform"),
    at("massDefect.verifyingSemantics"),
    exists("transformedCode"),
    sequence(PERSIST, tests("transform")),
  ),
  row(at("massDefect.applyingTransform"), at("massDefect.analyzingComplexity"), exists("skippedTransform"), sequence(PERSIST, COMPILE)),
  row(at("massDefect.verifyingSemantics"), at("massDefect.analyzingComplexity"), and(compiles, passes), sequence(PERSIST, COMPILE)),
  row(
    at("massDefect.verifyingSemantics"),
    at("massDefect.analyzingComplexity"),
    not(and(compiles, passes)),
    sequence(record("reverted_transform"), PERSIST, COMPILE),
  ),
];
