import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  NOTHING_PENDING,
  noMetrics,
  printStateFile,
  assertStateVersion,
  stateFile,
  STATE_FILE,
  type StateFileParts,
} from "./state-file.ts";
import { readStateFile } from "./testing/read-state-file.ts";
import { initialState, type CriticalityState } from "./states.ts";
import { anyFacts, NOW } from "./testing/arbitraries.ts";
import { tick } from "./tick.ts";

const PARTS: StateFileParts = {
  projectId: "bank",
  protocolState: initialState(NOW),
  artifacts: { spec: "spec/spec.toml", lattice: null, tests: null, archive: ["archive/interview"] },
  pending: { modelCall: { role: "architect_model", prompt: "conduct_interview" }, compilerRun: false, testRun: { scope: "cluster" } },
  metrics: { ...noMetrics(), totalModelCalls: 1, modelCallsByRole: { worker_model: 1 }, phaseDurations: { ignition: 5 } },
  createdAt: NOW,
  lastCheckpoint: NOW,
};

const text = printStateFile(stateFile(PARTS));
const changed = (change: object) => JSON.stringify({ ...JSON.parse(text), ...change });

describe("the state file", () => {
  test("[CRI-175] has exactly its fields", () => {
    const file = JSON.parse(text);
    expect(STATE_FILE).toBe("state.json");
    expect(Object.keys(file).toSorted()).toEqual(
      [
        "version",
        "projectId",
        "protocolState",
        "artifacts",
        "ledgerPath",
        "phaseProgress",
        "pending",
        "metrics",
        "createdAt",
        "lastCheckpoint",
      ].toSorted(),
    );
    expect(file).toMatchObject({
      version: "1.0.0",
      ledgerPath: "ledger.toml",
      phaseProgress: { phase: "ignition", subState: "interviewing" },
    });
    expect(Object.keys(file.artifacts)).toEqual(["spec", "lattice", "tests", "archive"]);
    expect(Object.keys(file.pending)).toEqual(["modelCall", "compilerRun", "testRun"]);
    expect(Object.keys(file.metrics)).toEqual([
      "totalModelCalls",
      "modelCallsByRole",
      "totalCompilations",
      "totalTestRuns",
      "escalations",
      "phaseDurations",
      "estimatedCost",
    ]);
    expect(Object.keys(stateFile({ ...PARTS, pending: NOTHING_PENDING }).pending)).toEqual(["modelCall", "compilerRun", "testRun"]);
  });

  test("[CRI-004] names phases by id, never by number", () => {
    expect(text).not.toMatch(/phase[\s_-]*\d/i);
  });

  test("is read as it was written", () => {
    expect(readStateFile(text)).toEqual(stateFile(PARTS));
  });

  test("a state that is read takes the same next transition", () => {
    fc.assert(
      fc.property(fc.array(anyFacts, { maxLength: 20 }), anyFacts, (history, facts) => {
        let state: CriticalityState = initialState(NOW);
        for (const some of history) {
          const result = tick(state, some);
          if (result.type === "continue") state = result.state;
        }
        const { protocolState } = readStateFile(printStateFile(stateFile({ ...PARTS, protocolState: state })));
        expect(tick(protocolState, facts)).toEqual(tick(state, facts));
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ["a later version", changed({ version: "2.0.0" }), 'has the version "2.0.0"'],
    ["a number as the version", changed({ version: 1 }), "has the version 1"],
  ])("[CRI-178] refuses %s, and says what it reads", (_, bad, message) => {
    const check = () => assertStateVersion(bad, "there/state.json");
    expect(check).toThrow(expect.objectContaining({ message: expect.stringContaining(`there/state.json ${message}`) }));
    expect(check).toThrow("this Slipway reads 1.0.0");
  });

  test.each(["[]", "null", text.slice(0, 100), changed({ version: undefined })])("what is no state file is written again: %#", (other) => {
    expect(() => assertStateVersion(other, "state.json")).not.toThrow();
  });
});
