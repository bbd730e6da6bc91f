import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PHASES, type CriticalityPhase } from "../routing/roles.ts";
import { factsSchema, type Facts } from "./facts.ts";
import { initialState, PHASE_TITLES, stateSchema, subStateName, SUB_STATES, type CriticalityState, type SubStateName } from "./states.ts";
import { anyFacts, contradiction, defect, failure, NOW, REASONS } from "./testing/arbitraries.ts";
import { notified, tick, type Tick } from "./tick.ts";
import { actionsOf, at, type Transition } from "./transition.ts";
import { TRANSITIONS } from "./transitions.ts";

const NO_FACTS: Facts = {};

/** A state in a sub-state with the given data. */
function inSubState(name: SubStateName, data: unknown): CriticalityState {
  const [phase, type] = name.split(".");
  return stateSchema.parse({ type: "active", data: { phase: { phase, subState: { type, data } }, startedAt: NOW, checkpointedAt: NOW } });
}

const ATTEMPT = { functionId: "a", currentTier: "worker", attemptInTier: 1, totalAttempts: 1 } as const;
const FUNCTIONS = { remaining: [], completed: ["a"], failed: [], holes: 0, breaker: null };
const CLUSTERS = {
  definitions: [{ name: "c1", modules: ["m"], claims: ["x_1"] }],
  testsGenerated: ["c1"],
  remaining: [],
  testsRun: 1,
  testsFailed: 0,
  verdict: null,
};
const METRICS = { violations: [], smells: 0, untriedPatterns: 3, acceptedInPass: null };
const VIOLATION = { function: "a", metric: "cyclomatic", measured: 12, limit: 10 };
const COMPLETION = {
  finalArtifacts: { optimizedCode: "src", testSuite: "tests", coverageReport: "coverage.json" },
  summary: { cost: 1, durationMs: 2, escalations: 0, unmetTargets: [VIOLATION] },
};

const STATES: Readonly<Record<SubStateName, CriticalityState>> = {
  "ignition.interviewing": initialState(NOW),
  "ignition.synthesizing": inSubState("ignition.synthesizing", { proposalVersion: 2, architectResponse: null, auditorResponse: null }),
  "ignition.awaitingApproval": inSubState("ignition.awaitingApproval", { proposalPath: "v1.toml", presentedAt: NOW }),
  "lattice.generatingStructure": inSubState("lattice.generatingStructure", { modulesGenerated: [], currentModule: null }),
  "lattice.compilingCheck": inSubState("lattice.compilingCheck", { compileAttempt: 1 }),
  "lattice.repairingStructure": inSubState("lattice.repairingStructure", { errors: [], repairAttempt: 1, maxRepairAttempts: 5 }),
  "compositionAudit.auditing": inSubState("compositionAudit.auditing", {
    auditorsCompleted: ["temporal", "resource", "invariant"],
    currentAuditor: "precondition",
  }),
  "compositionAudit.reportingContradictions": inSubState("compositionAudit.reportingContradictions", {
    contradictions: [contradiction],
    severity: "simple",
  }),
  "injection.selectingFunction": inSubState("injection.selectingFunction", {
    remainingFunctions: [],
    completedFunctions: [],
    failedFunctions: [],
  }),
  "injection.implementing": inSubState("injection.implementing", ATTEMPT),
  "injection.verifying": inSubState("injection.verifying", { functionId: "a", implementation: "return 1", verificationStep: "compile" }),
  "injection.escalating": inSubState("injection.escalating", {
    functionId: "a",
    fromTier: "worker",
    toTier: "fallback1",
    failureType: failure,
  }),
  "mesoscopic.generatingTests": inSubState("mesoscopic.generatingTests", { clusters: [], testsGenerated: [], currentCluster: null }),
  "mesoscopic.executingCluster": inSubState("mesoscopic.executingCluster", { clusterId: "c1", testsRun: 0, testsFailed: 0 }),
  "mesoscopic.handlingVerdict": inSubState("mesoscopic.handlingVerdict", {
    clusterId: "c1",
    verdict: { type: "fail", violatedClaims: ["x_1"] },
    clustersRemaining: [],
  }),
  "massDefect.analyzingComplexity": inSubState("massDefect.analyzingComplexity", { filesAnalyzed: [], currentFile: null, violations: [] }),
  "massDefect.applyingTransform": inSubState("massDefect.applyingTransform", { targetFunction: "a", transformation: "t", beforeCode: "x" }),
  "massDefect.verifyingSemantics": inSubState("massDefect.verifyingSemantics", { targetFunction: "a", afterCode: "y", testsToRun: [] }),
};

const BLOCKED_REASONS = Object.values(REASONS);

function blockedIn(reason: (typeof BLOCKED_REASONS)[number], from: SubStateName = "injection.verifying"): CriticalityState {
  const state = STATES[from];
  const [priorPhase = "", priorSubState = ""] = from.split(".");
  const query = {
    id: "q_001",
    severity: "blocking",
    category: reason.type,
    question: "?",
    options: [{ id: "retry", label: "r", implications: [] }],
  };
  return stateSchema.parse({
    type: "blocked",
    data: {
      reason,
      query,
      priorPhase,
      priorSubState,
      blockedAt: state.type === "active" ? state.data.checkpointedAt : NOW,
      notificationSent: false,
    },
  });
}

const after = (from: SubStateName | CriticalityState, facts: Facts) => tick(typeof from === "string" ? STATES[from] : from, facts);
/** Where a tick goes: the name of the next sub-state, or the reason of the block, or what it waits for. */
function target(result: Tick): string {
  if (result.type !== "continue") return result.type;
  return result.state.type === "blocked" ? `blocked: ${result.state.data.reason.type}` : subStateName(result.state);
}
const goes = (from: SubStateName | CriticalityState, facts: Facts) => target(after(from, facts));
const actionTypes = (result: Tick) => (result.type === "continue" ? result.actions.map(({ type }) => type) : []);

describe("names", () => {
  test("[CRI-004] six phases, with ids and titles without a number", () => {
    expect(PHASES).toEqual(["ignition", "lattice", "compositionAudit", "injection", "mesoscopic", "massDefect"]);
    expect(Object.keys(SUB_STATES)).toEqual([...PHASES]);
    expect(Object.values(PHASE_TITLES)).toEqual(["Ignition", "Lattice", "Composition Audit", "Injection", "Mesoscopic", "Mass Defect"]);
    expect(JSON.stringify([PHASE_TITLES, Object.keys(STATES)])).not.toMatch(/\d|\bphase\b/i);
  });

  test("a state is named by phase and sub-state", () => {
    expect(subStateName(initialState(NOW))).toBe("ignition.interviewing");
    expect(subStateName(blockedIn(REASONS.user_requested))).toBe("blocked");
  });
});

describe("state schema", () => {
  test("[CRI-166] the top level is active, blocked or completed, with exactly its data", () => {
    const active = initialState(NOW);
    const blocked = blockedIn(REASONS.canonical_conflict);
    const completed = {
      type: "completed",
      data: { finalArtifacts: COMPLETION.finalArtifacts, completedAt: NOW, summary: COMPLETION.summary },
    };
    expect(Object.keys(active.data)).toEqual(["phase", "startedAt", "checkpointedAt"]);
    expect(Object.keys(blocked.data)).toEqual(["reason", "query", "priorPhase", "priorSubState", "blockedAt", "notificationSent"]);
    for (const state of [active, blocked, completed]) {
      expect(stateSchema.parse(state)).toEqual(state);
      expect(stateSchema.safeParse({ ...state, data: { ...state.data, extra: 1 } }).success).toBe(false);
      for (const key of Object.keys(state.data)) {
        const { [key]: _, ...without } = state.data as Record<string, unknown>;
        expect(stateSchema.safeParse({ ...state, data: without }).success).toBe(false);
      }
    }
    expect(stateSchema.safeParse({ type: "failed", data: {} }).success).toBe(false);
  });

  const FIELDS = {
    "CRI-167": {
      "ignition.interviewing": ["interviewPhase", "questionIndex", "extractedRequirements", "delegatedAfter"],
      "ignition.synthesizing": ["proposalVersion", "architectResponse", "auditorResponse"],
      "ignition.awaitingApproval": ["proposalPath", "presentedAt"],
      "lattice.generatingStructure": ["modulesGenerated", "currentModule"],
      "lattice.compilingCheck": ["compileAttempt"],
      "lattice.repairingStructure": ["errors", "repairAttempt", "maxRepairAttempts"],
      "compositionAudit.auditing": ["auditorsCompleted", "currentAuditor"],
      "compositionAudit.reportingContradictions": ["contradictions", "severity"],
    },
    "CRI-168": {
      "injection.selectingFunction": ["remainingFunctions", "completedFunctions", "failedFunctions"],
      "injection.implementing": ["functionId", "currentTier", "attemptInTier", "totalAttempts"],
      "injection.verifying": ["functionId", "implementation", "verificationStep"],
      "injection.escalating": ["functionId", "fromTier", "toTier", "failureType"],
    },
    "CRI-169": {
      "mesoscopic.generatingTests": ["clusters", "testsGenerated", "currentCluster"],
      "mesoscopic.executingCluster": ["clusterId", "testsRun", "testsFailed"],
      "mesoscopic.handlingVerdict": ["clusterId", "verdict", "clustersRemaining"],
      "massDefect.analyzingComplexity": ["filesAnalyzed", "currentFile", "violations"],
      "massDefect.applyingTransform": ["targetFunction", "transformation", "beforeCode"],
      "massDefect.verifyingSemantics": ["targetFunction", "afterCode", "testsToRun"],
    },
  } as const;
  const rows = Object.entries(FIELDS).flatMap(([id, states]) =>
    Object.entries(states).map(([name, fields]) => [id, name, fields] as const),
  );

  test.each(rows)("[%s] %s has exactly its data", (_, name, fields) => {
    const [phase = "", type = ""] = name.split(".");
    const schema = (SUB_STATES as Record<string, Record<string, { shape: object }>>)[phase]?.[type];
    expect(Object.keys(schema?.shape ?? {})).toEqual([...fields]);
    const state = STATES[name as SubStateName];
    const bad = structuredClone(state) as { data: { phase: { subState: { data: Record<string, unknown> } } } };
    bad.data.phase.subState.data["extra"] = 1;
    expect(stateSchema.safeParse(bad).success).toBe(false);
  });

  test("[CRI-167] [CRI-168] [CRI-169] no other sub-states exist", () => {
    const all = Object.entries(SUB_STATES).flatMap(([phase, subStates]) => Object.keys(subStates).map((type) => `${phase}.${type}`));
    expect(all).toEqual(rows.map(([, name]) => name));
  });
});

const GUARDS = [
  "always",
  "artifactExists",
  "compileSuccess",
  "testSuccess",
  "noContradictions",
  "allFunctionsComplete",
  "allClustersPass",
  "metricsPass",
  "repairAttemptsExhausted",
  "tierExhausted",
  "circuitBreakerTripped",
  "humanResponse",
  "and",
  "or",
  "not",
];
const ACTIONS = [
  "none",
  "destroyContext",
  "archiveArtifacts",
  "persistCheckpoint",
  "sendNotification",
  "recordDecision",
  "invokeModel",
  "runCompiler",
  "runTests",
  "sequence",
];
const typesIn = (value: unknown): string[] => [...JSON.stringify(value).matchAll(/"type":"(\w+)"/g)].map(([, type = ""]) => type);
const phaseOf = (ref: Transition["from"]) => (ref.level === "phase" ? (ref.phase as CriticalityPhase) : null);

describe("the table", () => {
  test("[CRI-170] rows are data of from, to, guard and action, with the known guards and actions only", () => {
    expect(structuredClone(TRANSITIONS)).toEqual(TRANSITIONS);
    for (const row of TRANSITIONS) {
      expect(Object.keys(row)).toEqual(["from", "to", "guard", "action"]);
      expect(GUARDS).toEqual(expect.arrayContaining(typesIn(row.guard)));
      expect(ACTIONS).toEqual(expect.arrayContaining(typesIn(row.action)));
    }
  });

  test("[CRI-015] the only rows back to an earlier phase are the failure transitions; a person's answers are rows from a block", () => {
    const back = TRANSITIONS.flatMap(({ from, to }) => {
      const [before, next] = [phaseOf(from), phaseOf(to)];
      return before !== null && next !== null && PHASES.indexOf(next) < PHASES.indexOf(before) ? [`${before} -> ${next}`] : [];
    });
    expect([...new Set(back)].toSorted()).toEqual(["compositionAudit -> ignition", "injection -> lattice", "mesoscopic -> injection"]);
    const fromBlock = TRANSITIONS.filter(({ from }) => from.level === "protocol" && from.state === "blocked");
    expect(fromBlock.length).toBeGreaterThan(0);
    for (const { guard } of fromBlock) expect(guard.type).toBe("humanResponse");
  });

  test("no row skips a phase", () => {
    for (const { from, to } of TRANSITIONS) {
      const [before, next] = [phaseOf(from), phaseOf(to)];
      if (before !== null && next !== null) expect(PHASES.indexOf(next) - PHASES.indexOf(before)).toBeLessThanOrEqual(1);
    }
  });

  test.each(["ignition", "lattice", "compositionAudit", "mesoscopic"] as const)(
    "[CRI-002] every row that leaves %s destroys the context",
    (phase) => {
      const leaving = TRANSITIONS.filter(({ from, to }) => phaseOf(from) === phase && phaseOf(to) !== phase);
      expect(leaving.length).toBeGreaterThan(0);
      for (const { action } of leaving) expect(actionsOf(action).map(({ type }) => type)).toContain("destroyContext");
    },
  );

  test("[CRI-002] so does every block, and the interview is archived before its context goes", () => {
    const blocking = TRANSITIONS.filter(({ to }) => to.level === "protocol" && to.state === "blocked");
    expect(blocking.length).toBeGreaterThan(0);
    for (const { action } of blocking) expect(actionsOf(action).map(({ type }) => type)).toContain("destroyContext");
    const types = actionTypes(after("ignition.awaitingApproval", { humanResponse: "approve", artifacts: ["spec"] }));
    expect(types).toContain("archiveArtifacts");
    expect(types.indexOf("archiveArtifacts")).toBeLessThan(types.indexOf("destroyContext"));
  });

  test("every row that changes the state persists a checkpoint", () => {
    for (const { action } of TRANSITIONS) expect(actionsOf(action).map(({ type }) => type)).toContain("persistCheckpoint");
  });
});

describe("ignition", () => {
  test("[CRI-017] a delegation before the required answers asks the next question; after them it leads to synthesis", () => {
    for (const humanResponse of ["delegate", "delegate_with_notes"]) {
      expect(goes("ignition.interviewing", { humanResponse, artifacts: ["answer"] })).toBe("ignition.interviewing");
      expect(goes("ignition.interviewing", { humanResponse, artifacts: ["requiredAnswers"] })).toBe("ignition.synthesizing");
    }
  });

  test("[CRI-018] a delegation skips the remaining questions and is recorded", () => {
    const result = after("ignition.interviewing", { humanResponse: "delegate", artifacts: ["requiredAnswers"] });
    expect(target(result)).toBe("ignition.synthesizing");
    expect(actionTypes(result)).toContain("recordDecision");
  });

  test("an answer leads to the next question, the last one to synthesis", () => {
    expect(goes("ignition.interviewing", { artifacts: ["answer"] })).toBe("ignition.interviewing");
    expect(goes("ignition.interviewing", { artifacts: ["answer", "requiredAnswers", "allAnswers"] })).toBe("ignition.synthesizing");
  });

  test("[CRI-027] proposal and challenge stay in synthesis; only the revised proposal is shown", () => {
    expect(goes("ignition.synthesizing", { artifacts: ["proposal"] })).toBe("ignition.synthesizing");
    expect(goes("ignition.synthesizing", { artifacts: ["challenge"] })).toBe("ignition.synthesizing");
    const shown = after("ignition.synthesizing", { artifacts: ["revisedProposal"], now: "2026-11-18T13:00:00.000Z" });
    expect(shown).toMatchObject({
      state: {
        data: { phase: { subState: { data: { proposalPath: "interview/proposals/v2.toml", presentedAt: "2026-11-18T13:00:00.000Z" } } } },
      },
    });
  });

  test("[CRI-005] [CRI-028] an approval leads to Lattice only with a valid specification", () => {
    expect(goes("ignition.awaitingApproval", { humanResponse: "approve", artifacts: ["spec"] })).toBe("lattice.generatingStructure");
    expect(goes("ignition.awaitingApproval", { humanResponse: "approve", artifacts: [] })).toBe("ignition.synthesizing");
    expect(goes("ignition.awaitingApproval", { artifacts: ["spec"] })).toBe("waiting");
  });

  test("[CRI-029] [CRI-030] revise and reject lead to the interview: one where the facts say, the other from the start", () => {
    const data = {
      interviewPhase: "constraints",
      questionIndex: 1,
      extractedRequirements: [{ text: "fast" }],
      delegatedAfter: null,
    } as const;
    const revised = after("ignition.awaitingApproval", {
      humanResponse: "revise",
      next: { subState: "ignition.interviewing", data: { ...data, extractedRequirements: [{ text: "fast" }] } },
    });
    expect(revised).toMatchObject({ state: { data: { phase: { subState: { type: "interviewing", data } } } } });
    const rejected = after("ignition.awaitingApproval", { humanResponse: "reject" });
    expect(rejected).toMatchObject({
      state: { data: { phase: { subState: { data: { interviewPhase: "discovery", questionIndex: 0 } } } } },
    });
    expect(actionTypes(rejected)).toContain("archiveArtifacts");
  });

  test("[CRI-031] a conditional approval records its conditions and leads to Lattice", () => {
    const result = after("ignition.awaitingApproval", { humanResponse: "conditional", artifacts: ["spec"] });
    expect(target(result)).toBe("lattice.generatingStructure");
    expect(result).toMatchObject({ actions: expect.arrayContaining([{ type: "recordDecision", decision: "approval_condition" }]) });
  });
});

describe("lattice", () => {
  test("[CRI-041] modules are generated one by one, then compiled", () => {
    expect(goes("lattice.generatingStructure", { artifacts: ["module"] })).toBe("lattice.generatingStructure");
    expect(goes("lattice.generatingStructure", { artifacts: ["module", "lattice"] })).toBe("lattice.compilingCheck");
  });

  test("[CRI-006] only a skeleton that compiles reaches the audit", () => {
    expect(goes("lattice.compilingCheck", { compile: "passed" })).toBe("compositionAudit.auditing");
    expect(goes("lattice.compilingCheck", { compile: "failed" })).toBe("lattice.repairingStructure");
    expect(goes("lattice.compilingCheck", NO_FACTS)).toBe("awaitingCompiler");
  });

  test("[CRI-043] five repairs are made, with the errors and a counted attempt; then the run blocks", () => {
    let state = STATES["lattice.compilingCheck"];
    const problems = [{ file: "a.ts", line: 1, column: 1, message: "no such name" }];
    const seen: string[] = [];
    for (let round = 0; round < 20; round++) {
      const [name, facts] =
        subStateName(state) === "lattice.compilingCheck"
          ? ["check", { compile: "failed", problems } as const]
          : ["repair", { artifacts: ["repair"] }];
      const result = tick(state, facts);
      if (result.type !== "continue") throw new Error(result.type);
      state = result.state;
      seen.push(name);
      if (state.type === "blocked") break;
      if (name === "check")
        expect(state).toMatchObject({
          data: { phase: { subState: { data: { errors: problems, repairAttempt: Math.floor(round / 2) + 1, maxRepairAttempts: 5 } } } },
        });
      else expect(state).toMatchObject({ data: { phase: { subState: { data: { compileAttempt: Math.floor(round / 2) + 2 } } } } });
    }
    expect(seen.filter((name) => name === "check")).toHaveLength(6);
    expect(state).toMatchObject({
      type: "blocked",
      data: { reason: { type: "structural_defect", message: expect.stringContaining("a.ts:1: no such name") } },
    });
  });
});

describe("composition audit", () => {
  const found = { found: [contradiction], severity: "simple" } as const;

  test("[CRI-007] one warning keeps the run from Injection", () => {
    expect(goes("compositionAudit.auditing", { contradictions: { found: [], severity: "simple" } })).toBe("injection.selectingFunction");
    expect(goes("compositionAudit.auditing", { contradictions: { ...found, found: [contradiction] } })).toBe(
      "compositionAudit.reportingContradictions",
    );
  });

  test("[CRI-051] auditors run one after the other, and each is recorded", () => {
    let state = tick(STATES["lattice.compilingCheck"], { compile: "passed" });
    const order: unknown[] = [];
    while (state.type === "continue" && subStateName(state.state) === "compositionAudit.auditing") {
      order.push(state.state.type === "active" && state.state.data.phase.subState.data);
      state = tick(state.state, { contradictions: { found: [], severity: "simple" } });
    }
    expect(order).toEqual([
      { auditorsCompleted: [], currentAuditor: "temporal" },
      { auditorsCompleted: ["temporal"], currentAuditor: "resource" },
      { auditorsCompleted: ["temporal", "resource"], currentAuditor: "invariant" },
      { auditorsCompleted: ["temporal", "resource", "invariant"], currentAuditor: "precondition" },
    ]);
    expect(target(state)).toBe("injection.selectingFunction");
  });

  test("[CRI-011] a simple report returns to Ignition and is recorded; a complex one blocks with the report", () => {
    const simple = after("compositionAudit.reportingContradictions", NO_FACTS);
    expect(target(simple)).toBe("ignition.interviewing");
    expect(actionTypes(simple)).toContain("recordDecision");
    const complex = inSubState("compositionAudit.reportingContradictions", { contradictions: [contradiction], severity: "complex" });
    expect(after(complex, NO_FACTS)).toMatchObject({
      state: { data: { reason: { type: "unresolved_contradiction", report: { contradictions_found: [contradiction] } } } },
    });
  });
});

describe("injection", () => {
  const failed = (action: NonNullable<Facts["failure"]>["action"], more: Facts = {}): Facts => ({
    compile: "passed",
    tests: "failed",
    failure: { failure, action },
    ...more,
  });

  test("[CRI-008] Mesoscopic begins only without a hole, a remaining and a failed function", () => {
    expect(goes("injection.selectingFunction", { functions: FUNCTIONS })).toBe("mesoscopic.generatingTests");
    expect(goes("injection.selectingFunction", { functions: { ...FUNCTIONS, holes: 1 } })).toBe("blocked: circuit_breaker");
    expect(goes("injection.selectingFunction", { functions: { ...FUNCTIONS, failed: ["a"] } })).toBe("blocked: circuit_breaker");
    expect(goes("injection.selectingFunction", { functions: { ...FUNCTIONS, remaining: ["b"], holes: 1 } })).toBe("injection.implementing");
  });

  test("[CRI-056] a selected function is implemented, compiled, then tested, then accepted", () => {
    const selected = after("injection.selectingFunction", { functions: { ...FUNCTIONS, remaining: ["b"], holes: 1 } });
    expect(selected).toMatchObject({
      state: { data: { phase: { subState: { data: { functionId: "b", currentTier: "worker", attemptInTier: 1, totalAttempts: 1 } } } } },
    });
    const written = after("injection.implementing", { implementation: "return 1" });
    expect(written).toMatchObject({ state: { data: { phase: { subState: { data: { functionId: "a", verificationStep: "compile" } } } } } });
    const compiled = after("injection.verifying", { compile: "passed" });
    expect(compiled).toMatchObject({
      state: { data: { phase: { subState: { data: { verificationStep: "test", implementation: "return 1" } } } } },
    });
    if (compiled.type !== "continue") throw new Error(compiled.type);
    expect(tick(compiled.state, NO_FACTS)).toEqual({ type: "awaitingTests", scope: "function" });
    expect(goes(compiled.state as CriticalityState, { tests: "passed", functions: FUNCTIONS })).toBe("injection.selectingFunction");
  });

  test("[CRI-171] a failure retries in its tier, escalates, or blocks when tiers are exhausted", () => {
    for (const from of ["injection.verifying", "injection.implementing"] as const) {
      const attempt = { ...ATTEMPT, attemptInTier: 2, totalAttempts: 2 };
      const retried = after(from, failed({ type: "retry", hint: "none" }, { attempt }));
      expect(retried).toMatchObject({ state: { data: { phase: { subState: { type: "implementing", data: attempt } } } } });
      const escalated = after(from, failed({ type: "escalate", from: "worker", to: "fallback1" }));
      expect(escalated).toMatchObject({
        state: {
          data: {
            phase: {
              subState: { type: "escalating", data: { functionId: "a", fromTier: "worker", toTier: "fallback1", failureType: failure } },
            },
          },
        },
      });
      expect(goes(from, failed({ type: "circuitBreak", humanReview: true }))).toBe("blocked: circuit_breaker");
    }
    const next = { ...ATTEMPT, currentTier: "fallback1", totalAttempts: 3 } as const;
    expect(after("injection.escalating", { attempt: next })).toMatchObject({
      state: { data: { phase: { subState: { type: "implementing", data: next } } } },
    });
    expect(goes("injection.verifying", { compile: "passed", tests: "passed" })).toBe("injection.selectingFunction");
  });

  test("[CRI-064] an exhausted function blocks with its name, its attempts and a defect report", () => {
    const result = after("injection.verifying", failed({ type: "circuitBreak", humanReview: true }, { block: REASONS.circuit_breaker }));
    expect(result).toMatchObject({ state: { type: "blocked", data: { reason: REASONS.circuit_breaker } } });
    const derived = after("injection.verifying", failed({ type: "circuitBreak", humanReview: true }));
    expect(derived).toMatchObject({
      state: {
        data: { reason: { failedFunction: "a", defect: { condition: "function_exhausted", functions: ["a"], failureTypes: ["test"] } } },
      },
    });
  });

  test("[CRI-012] [CRI-066] a tripped breaker returns to Lattice from any outcome, also of a success, and when none remain", () => {
    const functions = { ...FUNCTIONS, breaker: defect };
    expect(goes("injection.selectingFunction", { functions })).toBe("lattice.generatingStructure");
    expect(goes("injection.verifying", { compile: "passed", tests: "passed", functions })).toBe("lattice.generatingStructure");
    const incoherent = after("injection.verifying", failed({ type: "returnToLattice" }));
    expect(target(incoherent)).toBe("lattice.generatingStructure");
    expect(incoherent).toMatchObject({ actions: expect.arrayContaining([{ type: "archiveArtifacts", artifacts: ["lattice"] }]) });
  });

  test("a security failure of the architect blocks with the finding", () => {
    const security = {
      failure: { type: "security", vulnerability: "eval: code from a text" },
      action: { type: "block", reason: "security_review" },
    } as const;
    expect(after("injection.verifying", { failure: security })).toMatchObject({
      state: {
        data: { reason: { type: "security_review", vulnerability: [{ rule: "eval", location: "a", message: "code from a text" }] } },
      },
    });
  });
});

describe("mesoscopic", () => {
  const verdict = (type: "pass" | "fail", clustersRemaining: string[]) =>
    inSubState("mesoscopic.handlingVerdict", {
      clusterId: "c1",
      verdict: type === "pass" ? { type } : { type, violatedClaims: ["x_1"] },
      clustersRemaining,
    });

  test("tests of all clusters are generated before the first one runs", () => {
    expect(goes("mesoscopic.generatingTests", { clusters: { ...CLUSTERS, testsGenerated: [] } })).toBe("mesoscopic.generatingTests");
    const first = after("mesoscopic.generatingTests", { clusters: CLUSTERS });
    expect(first).toMatchObject({ state: { data: { phase: { subState: { type: "executingCluster", data: { clusterId: "c1" } } } } } });
    expect(goes("mesoscopic.generatingTests", { clusters: { ...CLUSTERS, definitions: [] } })).toBe("massDefect.analyzingComplexity");
  });

  test("[CRI-071] a verdict is carried as pass, or fail with claims and nothing else", () => {
    const fail = { type: "fail", violatedClaims: ["x_1"] } as const;
    const result = after("mesoscopic.executingCluster", {
      clusters: { ...CLUSTERS, verdict: { ...fail, violatedClaims: ["x_1"] }, remaining: ["c2"] },
    });
    expect(result).toMatchObject({
      state: { data: { phase: { subState: { data: { clusterId: "c1", verdict: fail, clustersRemaining: ["c2"] } } } } },
    });
    const withCause = { ...CLUSTERS, verdict: { ...fail, rootCause: "x" } };
    expect(factsSchema.safeParse({ clusters: withCause }).success).toBe(false);
  });

  test("[CRI-009] [CRI-073] a pass runs the next cluster, the last pass leads to Mass Defect", () => {
    expect(after(verdict("pass", ["c2", "c3"]), NO_FACTS)).toMatchObject({
      state: { data: { phase: { subState: { type: "executingCluster", data: { clusterId: "c2" } } } } },
    });
    expect(goes(verdict("pass", []), NO_FACTS)).toBe("massDefect.analyzingComplexity");
    expect(goes(verdict("fail", []), NO_FACTS)).not.toBe("massDefect.analyzingComplexity");
  });

  test("[CRI-013] [CRI-072] a failed cluster returns to Injection with the queued functions, and its claims are recorded", () => {
    const result = after(verdict("fail", ["c2"]), { functions: { ...FUNCTIONS, remaining: ["a"], completed: [], holes: 1 } });
    expect(result).toMatchObject({
      state: { data: { phase: { phase: "injection", subState: { data: { remainingFunctions: ["a"] } } } } },
      actions: expect.arrayContaining([{ type: "recordDecision", decision: "violated_claims" }]),
    });
  });
});

describe("mass defect", () => {
  const done = (metrics: Partial<typeof METRICS> | object) =>
    goes("massDefect.analyzingComplexity", { metrics: { ...METRICS, ...metrics }, completion: COMPLETION });

  test("[CRI-010] it ends with no violation and no smell, no untried pattern, or a pass that accepted nothing; otherwise not", () => {
    expect(done({})).toBe("completed");
    expect(done({ smells: 1, untriedPatterns: 0 })).toBe("completed");
    expect(done({ smells: 1, acceptedInPass: 0 })).toBe("completed");
    for (const open of [{ smells: 1 }, { violations: [VIOLATION] }, { smells: 1, acceptedInPass: 2 }])
      expect(done(open)).toBe("awaitingCompiler");
  });

  test("[CRI-010] unmet targets are in the summary", () => {
    const result = after("massDefect.analyzingComplexity", {
      metrics: { ...METRICS, violations: [VIOLATION], untriedPatterns: 0 },
      completion: COMPLETION,
    });
    expect(result).toMatchObject({ state: { type: "completed", data: { summary: { unmetTargets: [VIOLATION] } } } });
  });

  test("a transform is applied, verified, and accepted or recorded as reverted", () => {
    const transform = { targetFunction: "a", transformation: "early-return", beforeCode: "x" };
    expect(goes("massDefect.analyzingComplexity", { metrics: { ...METRICS, smells: 1 }, transform })).toBe("massDefect.applyingTransform");
    expect(goes("massDefect.analyzingComplexity", { artifacts: ["fileAnalysis"] })).toBe("massDefect.analyzingComplexity");
    expect(goes("massDefect.applyingTransform", { transformed: { targetFunction: "a", afterCode: "y", testsToRun: [] } })).toBe(
      "massDefect.verifyingSemantics",
    );
    expect(goes("massDefect.applyingTransform", { artifacts: ["skippedTransform"] })).toBe("massDefect.analyzingComplexity");
    const accepted = after("massDefect.verifyingSemantics", { compile: "passed", tests: "passed" });
    expect(actionTypes(accepted)).not.toContain("recordDecision");
    for (const facts of [{ compile: "failed" }, { compile: "passed", tests: "failed" }] as const) {
      const reverted = after("massDefect.verifyingSemantics", facts);
      expect(target(reverted)).toBe("massDefect.analyzingComplexity");
      expect(actionTypes(reverted)).toContain("recordDecision");
    }
  });
});

describe("blocks", () => {
  test.each(Object.keys(STATES) as SubStateName[])(
    "[CRI-014] a canonical conflict found in %s blocks the run, whatever else is known",
    (name) => {
      const facts: Facts = {
        block: REASONS.canonical_conflict,
        compile: "passed",
        tests: "passed",
        humanResponse: "approve",
        artifacts: ["spec", "lattice"],
        now: NOW,
        blocks: 2,
      };
      const [priorPhase, priorSubState] = name.split(".");
      expect(after(name, facts)).toMatchObject({
        state: {
          type: "blocked",
          data: {
            reason: REASONS.canonical_conflict,
            priorPhase,
            priorSubState,
            notificationSent: false,
            blockedAt: NOW,
            query: { id: "canonical_conflict_003" },
          },
        },
      });
    },
  );

  test("[CRI-174] the first tick of a block is blocked, a later one waits, and an answer goes on", () => {
    const state = blockedIn(REASONS.provider_unavailable);
    expect(tick(state, NO_FACTS)).toMatchObject({ type: "blocked", query: { id: "q_001" } });
    if (state.type !== "blocked") throw new Error(state.type);
    const told = notified(state.data);
    expect(tick(told, NO_FACTS)).toMatchObject({ type: "waiting", query: { id: "q_001" } });
    expect(tick(told, { humanResponse: "no such option" })).toMatchObject({ type: "waiting" });
    expect(target(tick(told, { humanResponse: "retry" }))).toBe("injection.selectingFunction");
  });

  test("[CRI-131] a run resumes at the phase that the option names, else at the phase that was blocked, without its context", () => {
    expect(goes(blockedIn(REASONS.circuit_breaker), { humanResponse: "return_to_lattice" })).toBe("lattice.generatingStructure");
    expect(
      goes(blockedIn(REASONS.unresolved_contradiction, "compositionAudit.reportingContradictions"), { humanResponse: "revise_spec" }),
    ).toBe("ignition.interviewing");
    expect(after(blockedIn(REASONS.user_requested, "compositionAudit.auditing"), { humanResponse: "retry" })).toMatchObject({
      state: { data: { phase: { phase: "compositionAudit", subState: { data: { auditorsCompleted: [], currentAuditor: "temporal" } } } } },
    });
  });

  test("a blocked sub-state resumes where it was if its data are known", () => {
    const data = { proposalVersion: 3, architectResponse: "p", auditorResponse: null };
    const result = after(blockedIn(REASONS.provider_unavailable, "ignition.synthesizing"), {
      humanResponse: "retry",
      next: { subState: "ignition.synthesizing", data },
    });
    expect(result).toMatchObject({ state: { data: { phase: { subState: { type: "synthesizing", data } } } } });
  });

  test("an option of another reason does nothing, and giving up is no transition", () => {
    expect(goes(blockedIn(REASONS.user_requested), { humanResponse: "return_to_lattice" })).toBe("blocked");
    expect(goes(blockedIn(REASONS.user_requested), { humanResponse: "give_up" })).toBe("blocked");
  });
});

describe("tick", () => {
  test("[CRI-172] a completed run is done, with its artifacts", () => {
    const state = stateSchema.parse({ type: "completed", data: { ...COMPLETION, completedAt: NOW } });
    expect(tick(state, NO_FACTS)).toEqual({ type: "done", artifacts: COMPLETION.finalArtifacts });
  });

  const model = (role: string, prompt: string) => ({ type: "awaitingModel", call: { role, prompt } });

  test.each([
    ["ignition.interviewing", model("architect_model", "conduct_interview")],
    ["ignition.synthesizing", model("architect_model", "synthesize_spec")],
    ["lattice.generatingStructure", model("structurer_model", "scaffold_module")],
    ["lattice.compilingCheck", { type: "awaitingCompiler" }],
    ["lattice.repairingStructure", model("structurer_model", "scaffold_module")],
    ["compositionAudit.auditing", model("auditor_model", "audit_composition")],
    ["injection.selectingFunction", { type: "awaitingCompiler" }],
    ["injection.implementing", model("worker_model", "implement_atomic")],
    ["injection.verifying", { type: "awaitingCompiler" }],
    ["mesoscopic.generatingTests", model("structurer_model", "parse_claims")],
    ["mesoscopic.executingCluster", { type: "awaitingTests", scope: "cluster" }],
    ["massDefect.applyingTransform", model("worker_model", "apply_pattern")],
    ["massDefect.verifyingSemantics", { type: "awaitingTests", scope: "transform" }],
  ] as const)("[CRI-172] %s waits for its work", (name, pending) => {
    expect(tick(STATES[name], NO_FACTS)).toEqual(pending);
  });

  test("[CRI-172] a proposal waits for the auditor after the architect, and an approval for the person", () => {
    const proposed = inSubState("ignition.synthesizing", { proposalVersion: 1, architectResponse: "p", auditorResponse: null });
    expect(tick(proposed, NO_FACTS)).toEqual(model("auditor_model", "audit_proposal"));
    const result = tick(STATES["ignition.awaitingApproval"], NO_FACTS);
    expect(result).toMatchObject({
      type: "waiting",
      query: { severity: "blocking", options: [{ id: "approve" }, { id: "conditional" }, { id: "revise" }, { id: "reject" }] },
    });
  });

  test("[CRI-173] of two rows that match, the first in the table is taken", () => {
    const rows: Transition[] = ["lattice.compilingCheck", "lattice.repairingStructure"].map((name) => ({
      from: at("lattice.generatingStructure"),
      to: at(name),
      guard: { type: "always" },
      action: { type: "none" },
    }));
    expect(target(tick(STATES["lattice.generatingStructure"], NO_FACTS, rows))).toBe("lattice.compilingCheck");
    expect(target(tick(STATES["lattice.generatingStructure"], NO_FACTS, rows.toReversed()))).toBe("lattice.repairingStructure");
  });

  test("[CRI-173] random histories: the same state and facts give the same transition, no input changes, and no walk leaves the table", () => {
    const reached = new Set<string>();
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(STATES)), fc.array(anyFacts, { minLength: 1, maxLength: 40 }), (start, history) => {
        let state: CriticalityState = start;
        for (const facts of history) {
          const copy = structuredClone({ state, facts });
          const result = tick(state, facts);
          expect(tick(copy.state, copy.facts)).toEqual(result);
          expect({ state, facts }).toEqual(copy);
          if (result.type !== "continue") continue;
          expect(TRANSITIONS).toContain(result.transition);
          const checked = stateSchema.safeParse(result.state);
          expect(checked.error?.message).toBeUndefined();
          state = result.state;
          reached.add(subStateName(state));
        }
      }),
      { numRuns: 300 },
    );
    // The walks are random: nearly all states, so that the property is about more than a corner.
    expect(reached.size).toBeGreaterThan(15);
  });

  test("without facts, only states that say all themselves go on: nothing is decided because it is unknown", () => {
    const going = Object.keys(STATES).filter((name) => after(name as SubStateName, NO_FACTS).type === "continue");
    expect(going).toEqual(["compositionAudit.reportingContradictions"]);
    const unset: Facts = { compile: undefined, artifacts: undefined };
    expect(goes("lattice.compilingCheck", unset)).toBe("awaitingCompiler");
  });

  test("from every sub-state there is a way to the end", () => {
    const ways = new Map<string, string[]>();
    for (const { from, to } of TRANSITIONS) {
      if (from.level !== "phase") continue;
      const name = `${from.phase}.${from.subState}`;
      ways.set(name, [...(ways.get(name) ?? []), to.level === "phase" ? `${to.phase}.${to.subState}` : to.state]);
    }
    const reach = (name: string, seen = new Set<string>()): Set<string> => {
      if (!seen.has(name)) {
        seen.add(name);
        for (const next of ways.get(name) ?? []) reach(next, seen);
      }
      return seen;
    };
    for (const name of Object.keys(STATES)) expect(reach(name)).toContain("completed");
    expect([...reach("ignition.interviewing")]).toEqual(expect.arrayContaining(Object.keys(STATES)));
  });
});

describe("domain extensions", () => {
  const embedded: readonly Transition[] = [
    {
      from: at("lattice.compilingCheck"),
      to: at("embedded.fittingMemory"),
      guard: { type: "compileSuccess" },
      action: { type: "runTests", scope: "function" },
    },
    {
      from: at("embedded.fittingMemory"),
      to: at("embedded.askingVendor"),
      guard: { type: "artifactExists", artifact: "memoryMap" },
      action: { type: "none" },
    },
    {
      from: at("embedded.askingVendor"),
      to: at("compositionAudit.auditing"),
      guard: { type: "humanResponse", responseType: "certified" },
      action: { type: "destroyContext" },
    },
    ...TRANSITIONS,
  ];

  test("[CRI-199] a phase is added by rows alone: the run enters it, waits in it, blocks and resumes in it, and leaves it", () => {
    const entered = tick(
      STATES["lattice.compilingCheck"],
      { compile: "passed", next: { subState: "embedded.fittingMemory", data: { flash: 64 } } },
      embedded,
    );
    if (entered.type !== "continue") throw new Error(entered.type);
    expect(entered.state).toMatchObject({
      data: { phase: { phase: "embedded", subState: { type: "fittingMemory", data: { flash: 64 } } } },
    });
    expect(tick(entered.state, NO_FACTS, embedded)).toEqual({ type: "awaitingTests", scope: "function" });
    const blocked = tick(entered.state, { block: REASONS.user_requested }, embedded);
    if (blocked.type !== "continue") throw new Error(blocked.type);
    expect(target(tick(blocked.state, { humanResponse: "retry" }, embedded))).toBe("embedded.fittingMemory");
    const asking = tick(entered.state, { artifacts: ["memoryMap"] }, embedded);
    if (asking.type !== "continue") throw new Error(asking.type);
    expect(tick(asking.state, NO_FACTS, embedded)).toMatchObject({ type: "waiting", query: { options: [{ id: "certified" }] } });
    expect(target(tick(asking.state, { humanResponse: "certified" }, embedded))).toBe("compositionAudit.auditing");
  });
});

/** Every source that a file reaches through relative imports, and the packages they name. */
function importsFrom(folder: string): Set<string> {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file) || !existsSync(file)) return;
    seen.add(file);
    for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(/^import (?!type )[^;]*?from "([^"]+)"/gms))
      if (specifier.startsWith(".")) visit(resolve(dirname(file), specifier));
      else packages.add(specifier);
  };
  for (const name of readdirSync(folder)) if (name.endsWith(".ts") && !name.endsWith(".test.ts")) visit(join(folder, name));
  expect(seen.size).toBeGreaterThan(3);
  return packages;
}

test.each(["machine", "escalation", "routing"])(
  "[CRI-165] %s reaches no model, clock, file or process: it only classifies and dispatches",
  (folder) => {
    const packages = [...importsFrom(join(import.meta.dirname, "..", folder))];
    expect(
      packages.filter(
        (name) =>
          !/^(?:zod|yaml|@slipway\/(?:agents\/errors|kernel\/(?:schema|record\/decisions)\/.*|languages\/(?:adapter|analysis\/.*)))$/.test(
            name,
          ),
      ),
    ).toEqual([]);
  },
);
