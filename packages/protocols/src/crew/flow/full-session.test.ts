import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FeatureResult } from "../../change/feature-run.ts";
import { architecture, coder, docs, file, fullIntake, integrator, LETTERS_TWO, OWN, plan, planTask, qa, reviewer, security } from "./testing/artifacts.ts";
import { openBench, shown, type CrewBench } from "./testing/bench.ts";

let bench: CrewBench;
let result: FeatureResult;

const NEXT = file("src/b.txt", "two\n");

beforeAll(async () => {
  bench = await openBench(
    {
      "spec-agent": [fullIntake()],
      architect: [architecture()],
      planner: [plan(planTask("T-001"), planTask("T-002", { depends_on: ["T-001"] }))],
      coder: [
        (request) => coder(shown(request, `${OWN}tasks.yaml`), "T-001", LETTERS_TWO),
        (request) => coder(shown(request, `${OWN}tasks.yaml`), "T-002", [NEXT, file("test/b.test.sh", "true\n")]),
      ],
      reviewer: [({ prompt }) => reviewer(prompt)],
      qa: [qa()],
      security: [security()],
      integrator: [integrator()],
      docs: [docs()],
    },
    {
      crew_approve_design: [{ decision: "approved" }],
      crew_review_strategy: [{ decision: "per-batch" }],
    },
  );
  result = await bench.result();
});
afterAll(() => bench.close());

describe("a full session", () => {
  test("[CRW-082] goes through every state of the main line to the merge", () => {
    expect(result.status).toBe("merged");
    expect(bench.states()).toEqual(["INTAKE", "DESIGN", "APPROVE_DESIGN", "PLAN", "REVIEW_STRATEGY", "IMPLEMENT_LOOP", "INTEGRATE", "RELEASE", "DONE"]);
    expect(bench.scratch.git("show", "main:src/b.txt")).toBe("two\n");
    expect(bench.roles()).toEqual([]);
  });
});
