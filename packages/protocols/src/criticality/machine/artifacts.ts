import { AUDITOR_NAMES } from "../audit/auditors.ts";
import type { ArtifactName, Facts } from "./facts.ts";
import type { PhaseState } from "./states.ts";

type Derivation = (facts: Facts, phase: PhaseState) => boolean;

/** Artifacts that follow from other facts or from the state. */
const DERIVED: Partial<Readonly<Record<ArtifactName, Derivation>>> = {
  findings: ({ contradictions }) => contradictions !== undefined,
  auditReport: ({ contradictions }, { subState }) => {
    if (contradictions === undefined || subState.type !== "auditing") return false;
    const { auditorsCompleted, currentAuditor } = subState.data;
    return AUDITOR_NAMES.every((name) => name === currentAuditor || auditorsCompleted.includes(name));
  },
  resolvableReport: (_, { subState }) => subState.type === "reportingContradictions" && subState.data.severity === "simple",
  selectedFunction: ({ attempt, functions }) => attempt !== undefined || (functions?.remaining.length ?? 0) > 0,
  nextAttempt: ({ attempt }) => attempt !== undefined,
  implementation: ({ implementation }) => implementation !== undefined,
  testResults: ({ tests }) => tests !== undefined,
  retry: ({ failure }) => failure?.action.type === "retry",
  escalation: ({ failure }) => failure?.action.type === "escalate",
  requeuedFunctions: ({ functions }) => functions !== undefined,
  clusterTestFile: ({ clusters }) => clusters !== undefined,
  clusterTests: ({ clusters }) => clusters?.definitions.every(({ name }) => clusters.testsGenerated.includes(name)) ?? false,
  verdict: ({ clusters }) => (clusters?.verdict ?? null) !== null,
  transform: ({ transform }) => transform !== undefined,
  transformedCode: ({ transformed }) => transformed !== undefined,
  exhaustedCatalog: ({ metrics }) => metrics?.untriedPatterns === 0,
  fruitlessPass: ({ metrics }) => metrics?.acceptedInPass === 0,
  finalArtifacts: ({ completion }) => completion !== undefined,
};

/** Follows from the state alone, before any work. */
const OF_STATE: ReadonlySet<string> = new Set<ArtifactName>(["resolvableReport"]);

/** Whether an artifact exists; null if nothing is known yet. */
export function hasArtifact(name: string, facts: Facts, phase: PhaseState | null): boolean | null {
  const derive = Object.hasOwn(DERIVED, name) ? DERIVED[name as ArtifactName] : undefined;
  if (phase !== null && derive?.(facts, phase) === true) return true;
  if (OF_STATE.has(name)) return false;
  if (Object.values(facts).every((value) => value === undefined)) return null;
  // The reason of a block and the action after a failure are artifacts too.
  return facts.artifacts?.includes(name) === true || facts.block?.type === name || isAction(name, facts);
}

function isAction(name: string, { failure }: Facts): boolean {
  return failure?.action.type === "block" && failure.action.reason === name;
}
