import { hasArtifact } from "./artifacts.ts";
import type { Facts } from "./facts.ts";
import type { PhaseState } from "./states.ts";

export type Guard =
  | { readonly type: "always" | "compileSuccess" | "testSuccess" | "noContradictions" | "allFunctionsComplete" | "allClustersPass" }
  | { readonly type: "metricsPass" | "repairAttemptsExhausted" | "tierExhausted" | "circuitBreakerTripped" }
  | { readonly type: "artifactExists"; readonly artifact: string }
  | { readonly type: "humanResponse"; readonly responseType: string }
  | { readonly type: "and" | "or"; readonly guards: readonly Guard[] }
  | { readonly type: "not"; readonly guard: Guard };

/** Null: the facts do not say. */
export type Truth = boolean | null;

/** Whether a guard holds, in three-valued logic: a row is taken only if its guard is true, never because nothing is known yet. */
export function holds(guard: Guard, facts: Facts, phase: PhaseState | null): Truth {
  const inner = (one: Guard) => holds(one, facts, phase);
  switch (guard.type) {
    case "always":
      return true;
    case "artifactExists":
      return hasArtifact(guard.artifact, facts, phase);
    case "compileSuccess":
      // The tests of a body start after it compiled.
      if (phase?.subState.type === "verifying" && phase.subState.data.verificationStep === "test") return facts.compile !== "failed";
      return passed(facts.compile);
    case "testSuccess":
      if (phase?.subState.type === "handlingVerdict") return phase.subState.data.verdict.type === "pass";
      return passed(facts.tests);
    case "noContradictions":
      return facts.contradictions === undefined ? null : facts.contradictions.found.length === 0;
    case "allFunctionsComplete":
      return allFunctionsComplete(facts);
    case "allClustersPass":
      return allClustersPass(facts, phase);
    case "metricsPass":
      return facts.metrics === undefined ? null : facts.metrics.violations.length === 0 && facts.metrics.smells === 0;
    case "repairAttemptsExhausted":
      return phase?.subState.type === "repairingStructure" && phase.subState.data.repairAttempt > phase.subState.data.maxRepairAttempts;
    case "tierExhausted":
      return facts.failure === undefined ? null : facts.failure.action.type === "circuitBreak";
    case "circuitBreakerTripped":
      return circuitBreakerTripped(facts);
    case "humanResponse":
      return facts.humanResponse === undefined ? null : facts.humanResponse === guard.responseType;
    case "and":
      return every(guard.guards.map(inner));
    case "or":
      return negated(every(guard.guards.map(inner).map(negated)));
    case "not":
      return negated(inner(guard.guard));
  }
}

function passed(result: "passed" | "failed" | undefined): Truth {
  return result === undefined ? null : result === "passed";
}

function every(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
}

function negated(truth: Truth): Truth {
  return truth === null ? null : !truth;
}

function allFunctionsComplete({ functions }: Facts): Truth {
  if (functions === undefined) return null;
  return functions.remaining.length === 0 && functions.failed.length === 0 && functions.holes === 0;
}

function allClustersPass({ clusters }: Facts, phase: PhaseState | null): Truth {
  if (phase?.subState.type === "handlingVerdict") {
    const { verdict, clustersRemaining } = phase.subState.data;
    return verdict.type === "pass" && clustersRemaining.length === 0;
  }
  // A specification without testable claims has no clusters.
  return clusters === undefined ? null : clusters.definitions.length === 0;
}

function circuitBreakerTripped({ functions, failure }: Facts): Truth {
  if (functions === undefined && failure === undefined) return null;
  return (functions?.breaker ?? null) !== null || failure?.action.type === "returnToLattice";
}
