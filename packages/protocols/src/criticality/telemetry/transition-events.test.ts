import { describe, expect, test } from "vitest";
import type { InjectionAttempt } from "../escalation/attempts.ts";
import type { Facts } from "../machine/facts.ts";
import { initialState, type CriticalityState, type PhaseState } from "../machine/states.ts";
import { tick } from "../machine/tick.ts";
import { progressIn, runStateFile } from "../run-state-file.ts";
import { addTransition, startTrace } from "../run-trace.ts";
import { NO_WORK } from "../work.ts";
import { transitionEvents, type StateChange } from "./transition-events.ts";

const AT = "2026-11-18T12:00:00.000Z";
const ATTEMPT: InjectionAttempt = { functionId: "src/a.ts#f", currentTier: "worker", attemptInTier: 1, totalAttempts: 1 };
const active = (phase: PhaseState): CriticalityState => ({ type: "active", data: { phase, startedAt: AT, checkpointedAt: AT } });
const implementing = active({ phase: "injection", subState: { type: "implementing", data: ATTEMPT } });
const selecting = active({
  phase: "injection",
  subState: { type: "selectingFunction", data: { remainingFunctions: [], completedFunctions: [], failedFunctions: [] } },
});

function changeOf(before: CriticalityState, facts: Facts): StateChange {
  const next = tick(before, { ...facts, now: AT });
  if (next.type !== "continue") throw new Error(`no row: ${next.type}`);
  return { before, after: next.state, facts, at: AT };
}

const eventsOf = (before: CriticalityState, facts: Facts) =>
  transitionEvents(changeOf(before, facts), (tier) => `model of ${tier}`).map(({ event, data }) => [event, data]);

const coherence = { type: "coherence" as const, conflictingFunctions: ["src/b.ts#g"] };

describe("[CRI-157] the events of a transition", () => {
  test("a step within a phase is none", () => {
    expect(eventsOf(initialState(AT), { artifacts: ["allAnswers"] })).toEqual([]);
  });

  test("a return to Lattice names the breaker that tripped and the functions", () => {
    const breaker = { condition: "phase_failure_rate" as const, rate: 0.2, functions: ["src/a.ts#f"], modules: [], failureTypes: [] };
    expect(eventsOf(selecting, { functions: { remaining: [], completed: [], failed: ["src/a.ts#f"], holes: 1, breaker } })).toEqual([
      ["circuit_break", { condition: "phase_failure_rate", functions: ["src/a.ts#f"] }],
      ["phase_transition", { from: "injection", to: "lattice" }],
    ]);
  });

  test("a failure of coherence is a circuit break of its function", () => {
    expect(eventsOf(implementing, { failure: { failure: coherence as never, action: { type: "returnToLattice" } as never } })).toEqual([
      ["circuit_break", { condition: "coherence", functions: ["src/a.ts#f"] }],
      ["phase_transition", { from: "injection", to: "lattice" }],
    ]);
  });

  test("an escalation names function, models and the kind of failure", () => {
    const failure = { type: "test" as const, failingTests: [] };
    expect(eventsOf(implementing, { failure: { failure, action: { type: "escalate", from: "worker", to: "fallback1" } } })).toEqual([
      ["escalation", { function: "src/a.ts#f", from: "model of worker", to: "model of fallback1", reason: "test" }],
    ]);
  });

  test("a block other than a breaker's is no circuit break, and its end is a transition", () => {
    const blocked = changeOf(implementing, { block: { type: "user_requested", message: "stop" } });
    expect(transitionEvents(blocked, String).map(({ event, data }) => [event, data])).toEqual([
      ["block", { reason: "user_requested", phase: "injection" }],
      ["phase_transition", { from: "injection", to: "blocked" }],
    ]);
    expect(eventsOf(blocked.after, { humanResponse: "retry" })).toEqual([["phase_transition", { from: "blocked", to: "injection" }]]);
  });
});

describe("[CRI-175] state.json", () => {
  const fileOf = (state: CriticalityState) =>
    runStateFile({ projectId: "bank", state, work: NO_WORK, trace: startTrace(AT), archived: [], at: AT });

  test("pending is the model, the compiler or the tests that the sub-state waits for, and nothing while blocked", () => {
    const verifying = (verificationStep: "compile" | "test") =>
      active({ phase: "injection", subState: { type: "verifying", data: { functionId: "f", implementation: "x", verificationStep } } });
    expect(fileOf(implementing).pending).toEqual({
      modelCall: { role: "worker_model", prompt: "implement_atomic" },
      compilerRun: false,
      testRun: null,
    });
    expect(fileOf(verifying("compile")).pending).toEqual({ modelCall: null, compilerRun: true, testRun: null });
    expect(fileOf(verifying("test")).pending).toEqual({ modelCall: null, compilerRun: false, testRun: { scope: "function" } });
    const { after } = changeOf(implementing, { block: { type: "user_requested", message: "stop" } });
    expect(fileOf(after)).toMatchObject({ pending: { modelCall: null, compilerRun: false, testRun: null }, phaseProgress: null });
    expect(progressIn(after, NO_WORK).phase).toBe("injection");
  });

  test("metrics count calls by role, compilations and test runs", () => {
    const data = { model: "m", role: "worker_model", phase: "injection", tokensIn: 1, tokensOut: 1, durationMs: 1, usd: 0.5 };
    const call = { timestamp: AT, event: "model_call" as const, data };
    const first = addTransition(startTrace(AT), { facts: { compile: "passed" } }, [call, call]);
    const { metrics } = addTransition(first, { facts: { tests: "failed" } }, [call]);
    expect(metrics).toMatchObject({
      totalModelCalls: 3,
      modelCallsByRole: { worker_model: 3 },
      totalCompilations: 1,
      totalTestRuns: 1,
      estimatedCost: 1.5,
    });
  });
});
