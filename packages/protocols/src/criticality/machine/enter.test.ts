import { describe, expect, test } from "vitest";
import { AUDITOR_NAMES } from "../audit/auditors.ts";
import { enter, isOwnPhase } from "./enter.ts";
import { stateSchema, SUB_STATES, type PhaseState } from "./states.ts";
import { failure, NOW } from "./testing/arbitraries.ts";

const NAMES = Object.entries(SUB_STATES).flatMap(([phase, types]) => Object.keys(types).map((type) => `${phase}.${type}`));
const inPhase = (phase: string, type: string, data: object) => ({ phase, subState: { type, data } }) as unknown as PhaseState;
const dataOf = (state: PhaseState): unknown => state.subState.data;

describe("a run that goes on after a block, when nothing is known yet", () => {
  test.each(NAMES)("enters %s with data that can be stored and read again", (name) => {
    const phase = enter(name, {}, null, NOW);
    const state = { type: "active", data: { phase, startedAt: NOW, checkpointedAt: NOW } };
    expect(stateSchema.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });

  test("takes contradictions of unknown severity for complex: a person sees them", () => {
    expect(dataOf(enter("compositionAudit.reportingContradictions", {}, null, NOW))).toMatchObject({ severity: "complex" });
  });

  test("takes a verdict that nobody gave for a failure", () => {
    expect(dataOf(enter("mesoscopic.handlingVerdict", {}, null, NOW))).toMatchObject({ verdict: { type: "fail" } });
  });
});

describe("the auditors", () => {
  const auditing = (auditorsCompleted: readonly string[], currentAuditor: string | null) =>
    dataOf(enter("compositionAudit.auditing", {}, inPhase("compositionAudit", "auditing", { auditorsCompleted, currentAuditor }), NOW));
  const [first, second] = AUDITOR_NAMES;

  test("come one after the other, each of them once", () => {
    expect(auditing([], first!)).toEqual({ auditorsCompleted: [first], currentAuditor: second });
    expect(auditing([first!], first!)).toEqual({ auditorsCompleted: [first], currentAuditor: second });
  });

  test("that were not asked do not count as completed", () => {
    expect(auditing([first!], null)).toEqual({ auditorsCompleted: [first], currentAuditor: second });
  });

  test("are through when the last one is", () => {
    const others = AUDITOR_NAMES.slice(0, -1);
    expect(auditing(others, AUDITOR_NAMES.at(-1)!)).toEqual({ auditorsCompleted: [...AUDITOR_NAMES], currentAuditor: null });
  });
});

describe("the function that is at work", () => {
  const escalating = inPhase("injection", "escalating", {
    functionId: "parse",
    fromTier: "worker",
    toTier: "fallback1",
    failureType: failure,
  });

  test("stays the same from an escalation to the check of its next body", () => {
    const facts = { implementation: "return 1;" };
    expect(dataOf(enter("injection.verifying", facts, escalating, NOW))).toMatchObject({
      functionId: "parse",
      verificationStep: "compile",
    });
  });

  test("is the first that is left where no attempt is given, with the cheapest tier", () => {
    const functions = { remaining: ["parse", "print"], completed: [], failed: [], holes: 2, breaker: null };
    expect(dataOf(enter("injection.implementing", { functions }, null, NOW))).toMatchObject({ functionId: "parse", currentTier: "worker" });
  });
});

describe("clusters", () => {
  const definitions = ["a", "b"].map((name) => ({ name, modules: [], claims: [] }));
  const clusters = { definitions, testsGenerated: [], remaining: [], testsRun: 0, testsFailed: 0, verdict: null };

  test("after a verdict the next one runs, never the first again", () => {
    const verdict = { clusterId: "a", verdict: { type: "pass" }, clustersRemaining: ["b"] };
    const state = enter("mesoscopic.executingCluster", { clusters }, inPhase("mesoscopic", "handlingVerdict", verdict), NOW);
    expect(dataOf(state)).toMatchObject({ clusterId: "b" });
  });

  test("a verdict is of the cluster that ran", () => {
    const ran = inPhase("mesoscopic", "executingCluster", { clusterId: "b", testsRun: 1, testsFailed: 1 });
    expect(dataOf(enter("mesoscopic.handlingVerdict", { clusters }, ran, NOW))).toMatchObject({ clusterId: "b" });
  });
});

describe("the interview", () => {
  const interviewing = inPhase("ignition", "interviewing", {
    interviewPhase: "architecture",
    questionIndex: 4,
    extractedRequirements: [{ text: "fast" }],
    delegatedAfter: null,
  });

  test("goes on where it was, unless the person rejected the specification", () => {
    expect(dataOf(enter("ignition.interviewing", {}, interviewing, NOW))).toMatchObject({ questionIndex: 4 });
    expect(dataOf(enter("ignition.interviewing", { humanResponse: "reject" }, interviewing, NOW))).toMatchObject({ questionIndex: 0 });
  });

  test("the version of the proposal that was argued over is the one that is shown", () => {
    const synthesizing = inPhase("ignition", "synthesizing", { proposalVersion: 3, architectResponse: null, auditorResponse: null });
    const state = enter("ignition.awaitingApproval", {}, synthesizing, NOW);
    expect(dataOf(state)).toEqual({ proposalPath: "interview/proposals/v3.toml", presentedAt: NOW });
  });
});

test("a phase of an extension has the data that its facts give, and no other", () => {
  const next = { subState: "rollout.waiting", data: { at: "noon" } };
  expect(enter("rollout.waiting", { next }, null, NOW)).toEqual({ phase: "rollout", subState: { type: "waiting", data: { at: "noon" } } });
  expect(dataOf(enter("rollout.done", { next }, null, NOW))).toEqual({});
  // A name of the object's own prototype is no sub-state.
  expect(dataOf(enter("toString", {}, null, NOW))).toEqual({});
  expect([isOwnPhase({ phase: "rollout" }), isOwnPhase({ phase: "toString" }), isOwnPhase({ phase: "injection" })]).toEqual([
    false,
    false,
    true,
  ]);
});
