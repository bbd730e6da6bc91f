import { z } from "zod";
import { AUDITOR_NAMES } from "../audit/auditors.ts";
import { contradictionSchema } from "../audit/report.ts";
import { attemptSchema } from "../escalation/attempts.ts";
import { failureSchema } from "../escalation/failures.ts";
import { INTERVIEW_PHASES } from "../ignition/questions.ts";
import type { CriticalityPhase } from "../routing/roles.ts";
import { blockReasonSchema, humanQuerySchema } from "./block.ts";

const at = z.iso.datetime();
const text = z.string();
const names = z.array(text);
const count = z.int().min(0);
const interviewPhase = z.enum(INTERVIEW_PHASES);

const problem = z.strictObject({ file: text.nullable(), line: z.int(), column: z.int(), message: text });
const cluster = z.strictObject({ name: text, modules: names, claims: names });
const verdict = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("pass") }),
  z.strictObject({ type: z.literal("fail"), violatedClaims: names }),
]);
const violation = z.strictObject({ function: text, metric: text, measured: z.number(), limit: z.number() });

/** How a person reads about a phase. No title and no id has a number. */
export const PHASE_TITLES: Readonly<Record<CriticalityPhase, string>> = {
  ignition: "Ignition",
  lattice: "Lattice",
  compositionAudit: "Composition Audit",
  injection: "Injection",
  mesoscopic: "Mesoscopic",
  massDefect: "Mass Defect",
};

/** The sub-states of each phase with the schema of their data. The first of a phase is where a resumed phase begins. */
export const SUB_STATES = {
  ignition: {
    interviewing: z.strictObject({
      interviewPhase,
      questionIndex: count,
      extractedRequirements: z.array(z.looseObject({ text })),
      delegatedAfter: interviewPhase.nullable(),
    }),
    synthesizing: z.strictObject({
      proposalVersion: z.int().min(1),
      architectResponse: text.nullable(),
      auditorResponse: text.nullable(),
    }),
    awaitingApproval: z.strictObject({ proposalPath: text, presentedAt: at }),
  },
  lattice: {
    generatingStructure: z.strictObject({ modulesGenerated: names, currentModule: text.nullable() }),
    compilingCheck: z.strictObject({ compileAttempt: z.int().min(1) }),
    repairingStructure: z.strictObject({ errors: z.array(problem), repairAttempt: z.int().min(1), maxRepairAttempts: count }),
  },
  compositionAudit: {
    auditing: z.strictObject({ auditorsCompleted: z.array(z.enum(AUDITOR_NAMES)), currentAuditor: z.enum(AUDITOR_NAMES).nullable() }),
    reportingContradictions: z.strictObject({ contradictions: z.array(contradictionSchema), severity: z.enum(["simple", "complex"]) }),
  },
  injection: {
    selectingFunction: z.strictObject({ remainingFunctions: names, completedFunctions: names, failedFunctions: names }),
    implementing: attemptSchema,
    verifying: z.strictObject({ functionId: text, implementation: text, verificationStep: z.enum(["compile", "test"]) }),
    escalating: z.strictObject({
      functionId: text,
      fromTier: z.enum(["worker", "fallback1"]),
      toTier: z.enum(["fallback1", "fallback2"]),
      failureType: failureSchema,
    }),
  },
  mesoscopic: {
    generatingTests: z.strictObject({ clusters: z.array(cluster), testsGenerated: names, currentCluster: text.nullable() }),
    executingCluster: z.strictObject({ clusterId: text, testsRun: count, testsFailed: count }),
    handlingVerdict: z.strictObject({ clusterId: text, verdict, clustersRemaining: names }),
  },
  massDefect: {
    analyzingComplexity: z.strictObject({ filesAnalyzed: names, currentFile: text.nullable(), violations: z.array(violation) }),
    applyingTransform: z.strictObject({ targetFunction: text, transformation: text, beforeCode: text }),
    verifyingSemantics: z.strictObject({ targetFunction: text, afterCode: text, testsToRun: names }),
  },
} as const satisfies Readonly<Record<CriticalityPhase, Readonly<Record<string, z.ZodType>>>>;

type Table = typeof SUB_STATES;
type Output<S> = S extends z.ZodType ? z.output<S> : never;

/** `ignition.interviewing`, `lattice.compilingCheck`, … */
export type SubStateName = { [P in keyof Table]: `${P}.${keyof Table[P] & string}` }[keyof Table];

/** The data of each sub-state. */
export type DataOf = {
  [N in SubStateName]: N extends `${infer P extends keyof Table}.${infer S}`
    ? S extends keyof Table[P]
      ? Output<Table[P][S]>
      : never
    : never;
};

export type PhaseState = {
  [P in CriticalityPhase]: { phase: P; subState: { [S in keyof Table[P]]: { type: S; data: Output<Table[P][S]> } }[keyof Table[P]] };
}[CriticalityPhase];

/** A phase that an extension adds. Its rows in the transition table are its whole definition. */
export interface ExtensionPhase {
  phase: string;
  subState: { type: string; data: unknown };
}

export const finalArtifactsSchema = z.strictObject({ optimizedCode: text, testSuite: text, coverageReport: text });
export type FinalArtifacts = z.output<typeof finalArtifactsSchema>;

export const summarySchema = z.strictObject({
  cost: z.number().min(0),
  durationMs: count,
  escalations: count,
  /** Targets of Mass Defect that the delivered code exceeds. */
  unmetTargets: z.array(violation),
});

const blocked = z.strictObject({
  reason: blockReasonSchema,
  query: humanQuerySchema,
  priorPhase: text,
  priorSubState: text,
  blockedAt: at,
  notificationSent: z.boolean(),
});

const completed = z.strictObject({ finalArtifacts: finalArtifactsSchema, completedAt: at, summary: summarySchema });

/** The schema of the whole state for a table of phases: the protocol's own, or with those of an extension. */
function stateSchemaOf(table: Readonly<Record<string, Readonly<Record<string, z.ZodType>>>>): z.ZodType {
  const phases = Object.entries(table).map(([phase, subStates]) => {
    const forms = Object.entries(subStates).map(([type, data]) => z.strictObject({ type: z.literal(type), data }));
    return z.strictObject({ phase: z.literal(phase), subState: z.union(forms) });
  });
  const active = z.strictObject({ phase: z.union(phases), startedAt: at, checkpointedAt: at });
  return z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("active"), data: active }),
    z.strictObject({ type: z.literal("blocked"), data: blocked }),
    z.strictObject({ type: z.literal("completed"), data: completed }),
  ]);
}

export type BlockedState = z.output<typeof blocked>;
export type CompletedState = z.output<typeof completed>;

export interface ActiveState<P = PhaseState> {
  phase: P;
  startedAt: string;
  checkpointedAt: string;
}

/** The state with phases `P`: those of the protocol, unless an extension adds some. */
export type MachineState<P = PhaseState> =
  { type: "active"; data: ActiveState<P> } | { type: "blocked"; data: BlockedState } | { type: "completed"; data: CompletedState };

export type CriticalityState = MachineState;

export const stateSchema = stateSchemaOf(SUB_STATES) as z.ZodType<CriticalityState>;

const INTERVIEW_START: DataOf["ignition.interviewing"] = {
  interviewPhase: "discovery",
  questionIndex: 0,
  extractedRequirements: [],
  delegatedAfter: null,
};

export function initialState(now: string): CriticalityState {
  const phase: PhaseState = { phase: "ignition", subState: { type: "interviewing", data: structuredClone(INTERVIEW_START) } };
  return { type: "active", data: { phase, startedAt: now, checkpointedAt: now } };
}

/** `ignition.interviewing`; `blocked` or `completed` for a state without a phase. */
export function subStateName(state: MachineState<PhaseState | ExtensionPhase>): string {
  return state.type === "active" ? `${state.data.phase.phase}.${state.data.phase.subState.type}` : state.type;
}
