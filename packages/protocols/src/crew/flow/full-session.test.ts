import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FeatureResult } from "../../change/feature-run.ts";
import { file, LETTERS_TWO, plan, planTask } from "./testing/artifacts.ts";
import { openBench, type CrewBench } from "./testing/bench.ts";
import { builds, TEAM, YES } from "./testing/team.ts";

let bench: CrewBench;
let result: FeatureResult;

beforeAll(async () => {
  const second = [file("src/b.txt", "two\n"), file("test/b.test.sh", "true\n")];
  bench = await openBench(
    {
      ...TEAM,
      planner: [plan(planTask("T-001"), planTask("T-002", { depends_on: ["T-001"] }))],
      coder: [builds(LETTERS_TWO), builds(second)],
    },
    YES,
  );
  result = await bench.result();
});
afterAll(() => bench.close());

describe("a full session", () => {
  test("[CRW-082] goes through every state of the main line to the merge", () => {
    expect(result.status).toBe("merged");
    const line = ["INTAKE", "DESIGN", "APPROVE_DESIGN", "PLAN", "REVIEW_STRATEGY", "IMPLEMENT_LOOP", "INTEGRATE", "RELEASE", "DONE"];
    expect(bench.states()).toEqual(line);
    expect(bench.scratch.git("show", "main:src/b.txt")).toBe("two\n");
  });

  test("[CRW-090][CRW-092][CRW-096][CRW-099] completes a task before the next, then has all of it reviewed, built and released", () => {
    expect(bench.roles()).toEqual([
      "SpecAgent meta",
      "Architect meta",
      "Planner meta",
      "Coder T-001",
      "Reviewer T-001",
      "QA T-001",
      "Coder T-002",
      "Reviewer T-002",
      "QA T-002",
      // QA has run; Security has not, and no task needed it.
      "Reviewer meta",
      "Security meta",
      "Integrator meta",
      "Docs meta",
      "Integrator meta",
    ]);
    const second = bench.sent.findIndex(({ role, prompt }) => role === "coder" && prompt.includes('"id": "T-002"'));
    expect(bench.sent[second]?.prompt).toMatch(/id: T-001\n\s+status: completed/);
  });

  test("[CRW-092] the review of everything gets every changed file", () => {
    const { prompt } = bench.last("reviewer");
    for (const path of ["src/a.txt", "src/b.txt", "test/a.test.sh", "test/b.test.sh"]) expect(prompt).toContain(`"path": "${path}"`);
  });

  test("[CRW-087] the approval shows scope, criteria, modules and data flows", () => {
    const body = bench.asked.find(({ kind }) => kind === "crew_approve_design")?.body ?? "";
    for (const text of ["AC-001", "One file.", "Modules of the letters.", "Data Flow of the letters."]) expect(body).toContain(text);
  });

  test("[CRW-089] the strategy question shows the tasks and a recommendation", () => {
    const body = bench.asked.find(({ kind }) => kind === "crew_review_strategy")?.body ?? "";
    expect(body).toContain("2 tasks");
    expect(body).toContain("Recommended: single-final");
  });

  test("[CRW-053] the decisions are on disk with their answers, each id once", () => {
    expect(bench.status().user_decisions.map(({ decision_id, status, answer }) => [decision_id, status, answer])).toEqual([
      ["UD-APPROVE-DESIGN", "answered", "approved"],
      ["UD-REVIEW-STRATEGY", "answered", "per-batch"],
    ]);
  });

  test("[CRW-086] the log says of Designer and Researcher why they did not run", () => {
    const whys = bench.log().map(({ why }) => why);
    expect(whys.some((why) => why.includes("research: no agent signalled research-needed"))).toBe(true);
    expect(whys.some((why) => why.includes("Designer did not run: no agent signalled designer-needed"))).toBe(true);
  });

  test("[CRW-026][CRW-120] the session has architecture and report, and the merge has the README", () => {
    expect(bench.file("architecture.md")).toContain("Overview");
    expect(bench.file("report.md")).toContain("Known issues");
    expect(bench.scratch.git("show", "main:README.md")).toContain("Quickstart");
  });
});
