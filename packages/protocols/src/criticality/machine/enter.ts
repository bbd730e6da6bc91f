import { AUDITOR_NAMES } from "../audit/auditors.ts";
import type { Facts } from "./facts.ts";
import { SUB_STATES, type DataOf, type PhaseState, type SubStateName } from "./states.ts";

/** Where the run comes from: null after a block, from which no context is restored. */
type From = PhaseState["subState"] | null;

type Entry<N extends SubStateName> = (facts: Facts, from: From, now: string) => DataOf[N];

const MAX_REPAIRS = 5;

/** The data with which each sub-state is entered, from the facts and the sub-state before it. */
const ENTRIES: { readonly [N in SubStateName]: Entry<N> } = {
  "ignition.interviewing": (facts, from) =>
    from?.type === "interviewing" && facts.humanResponse !== "reject"
      ? from.data
      : { interviewPhase: "discovery", questionIndex: 0, extractedRequirements: [], delegatedAfter: null },
  "ignition.synthesizing": (_, from) =>
    from?.type === "synthesizing" ? from.data : { proposalVersion: 1, architectResponse: null, auditorResponse: null },
  "ignition.awaitingApproval": (_, from, now) => ({
    proposalPath: `interview/proposals/v${from?.type === "synthesizing" ? from.data.proposalVersion : 1}.toml`,
    presentedAt: now,
  }),
  "lattice.generatingStructure": (_, from) =>
    from?.type === "generatingStructure" ? from.data : { modulesGenerated: [], currentModule: null },
  "lattice.compilingCheck": (_, from) => ({ compileAttempt: from?.type === "repairingStructure" ? from.data.repairAttempt + 1 : 1 }),
  "lattice.repairingStructure": ({ problems = [], maxRepairAttempts = MAX_REPAIRS }, from) => ({
    errors: problems,
    repairAttempt: from?.type === "compilingCheck" ? from.data.compileAttempt : 1,
    maxRepairAttempts,
  }),
  "compositionAudit.auditing": (_, from) => {
    if (from?.type !== "auditing") return { auditorsCompleted: [], currentAuditor: AUDITOR_NAMES[0] ?? null };
    const { auditorsCompleted: before, currentAuditor } = from.data;
    const auditorsCompleted = currentAuditor === null || before.includes(currentAuditor) ? before : [...before, currentAuditor];
    return { auditorsCompleted, currentAuditor: AUDITOR_NAMES.find((name) => !auditorsCompleted.includes(name)) ?? null };
  },
  "compositionAudit.reportingContradictions": ({ contradictions }) => ({
    contradictions: contradictions?.found ?? [],
    severity: contradictions?.severity ?? "complex",
  }),
  "injection.selectingFunction": ({ functions }) => ({
    remainingFunctions: functions?.remaining ?? [],
    completedFunctions: functions?.completed ?? [],
    failedFunctions: functions?.failed ?? [],
  }),
  "injection.implementing": ({ attempt, functions }) =>
    attempt ?? { functionId: functions?.remaining[0] ?? "", currentTier: "worker", attemptInTier: 1, totalAttempts: 1 },
  "injection.verifying": ({ implementation = "" }, from) =>
    from?.type === "verifying"
      ? { ...from.data, verificationStep: "test" }
      : { functionId: functionOf(from), implementation, verificationStep: "compile" },
  "injection.escalating": ({ failure }, from) => {
    const { from: fromTier, to: toTier } = failure?.action.type === "escalate" ? failure.action : FIRST_STEP;
    return { functionId: functionOf(from), fromTier, toTier, failureType: failure?.failure ?? UNSEEN };
  },
  "mesoscopic.generatingTests": ({ clusters }) => {
    const { definitions = [], testsGenerated = [] } = clusters ?? {};
    const current = definitions.find(({ name }) => !testsGenerated.includes(name));
    return { clusters: definitions, testsGenerated, currentCluster: current?.name ?? null };
  },
  "mesoscopic.executingCluster": ({ clusters }, from) => ({
    clusterId: (from?.type === "handlingVerdict" ? from.data.clustersRemaining[0] : clusters?.definitions[0]?.name) ?? "",
    testsRun: 0,
    testsFailed: 0,
  }),
  "mesoscopic.handlingVerdict": ({ clusters }, from) => ({
    clusterId: from?.type === "executingCluster" ? from.data.clusterId : "",
    verdict: clusters?.verdict ?? { type: "fail", violatedClaims: [] },
    clustersRemaining: clusters?.remaining ?? [],
  }),
  "massDefect.analyzingComplexity": ({ metrics }) => ({ filesAnalyzed: [], currentFile: null, violations: metrics?.violations ?? [] }),
  "massDefect.applyingTransform": ({ transform }) => transform ?? { targetFunction: "", transformation: "", beforeCode: "" },
  "massDefect.verifyingSemantics": ({ transformed }) => transformed ?? { targetFunction: "", afterCode: "", testsToRun: [] },
};

const FIRST_STEP = { from: "worker", to: "fallback1" } as const;
const UNSEEN = { type: "semantic", violation: "no failure was recorded" } as const;

function functionOf(from: From): string {
  return from?.type === "implementing" || from?.type === "verifying" || from?.type === "escalating" ? from.data.functionId : "";
}

/** The phase state for a sub-state. Data that the facts give for it are taken as they are; the phase of an extension has no other. */
export function enter(name: string, facts: Facts, from: PhaseState | null, now: string): PhaseState {
  const [phase = "", type = ""] = name.split(".");
  const given = facts.next?.subState === name ? facts.next.data : null;
  const entry = Object.hasOwn(ENTRIES, name) ? ENTRIES[name as SubStateName] : null;
  const data = given ?? entry?.(facts, from?.subState ?? null, now) ?? {};
  return { phase, subState: { type, data } } as PhaseState;
}

/** Whether the phase is one of the protocol's six. */
export function isOwnPhase(state: { readonly phase: string }): state is PhaseState {
  return Object.hasOwn(SUB_STATES, state.phase);
}
