import { describe, expect, test } from "vitest";
import { EXAMPLE_ANSWERS, EXAMPLE_RECORD, EXAMPLE_TASK } from "../schemas/examples.ts";
import type { ForgePlan } from "../schemas/plan.ts";
import type { PlannedFile, ForgeTask } from "../schemas/task.ts";
import { planProblems, type ForgePlanFacts } from "./plan-problems.ts";

const present = new Set(["src/a.ts", "src/b.ts", "src/user.ts"]);
const facts: ForgePlanFacts = {
  exists: (path) => present.has(path),
  design: { summary: "One decision.", decisions: [EXAMPLE_RECORD], components: [] },
  spec: EXAMPLE_ANSWERS.spec.payload!,
};

function task(id: string, files: PlannedFile[], more: Partial<ForgeTask> = {}): ForgeTask {
  const relevant_context = { ...EXAMPLE_TASK.relevant_context, files_to_modify: files };
  return { ...EXAMPLE_TASK, id, relevant_context, ...more };
}

const file = (path: string, operation: PlannedFile["operation"] = "modify", risk: PlannedFile["risk"] = "🟡"): PlannedFile => ({
  path,
  risk,
  operation,
});

function problems(tasks: ForgeTask[], waves: string[][], over: Partial<ForgePlan> = {}, more: Partial<ForgePlanFacts> = {}): string[] {
  return planProblems({ tasks, waves, overall_risk_summary: "🟡", ...over }, { ...facts, ...more });
}

const one = task("task-01", [file("src/a.ts")]);
const two = task("task-02", [file("src/b.ts")]);

describe("a plan", () => {
  test("without problems has none", () => {
    expect(problems([one, { ...two, depends_on: ["task-01"] }], [["task-01"], ["task-02"]])).toEqual([]);
    expect(planProblems(EXAMPLE_ANSWERS.planner.payload!, facts)).toEqual([]);
  });

  test("lists every problem at once, with its file and field", () => {
    const tasks = [one, task("task-01", [file("src/none.ts")]), task("task-03", [file("src/a.ts")], { acceptance_criteria: ["AC-9"] })];
    expect(problems(tasks, [["task-01", "task-03", "task-07"]], { overall_risk_summary: "🔴" })).toEqual([
      "plan-output.yaml, payload/tasks/1/id: task-01 is given twice",
      "plan-output.yaml, payload/overall_risk_summary: is 🔴, but the highest risk of a file is 🟡",
      "plan-output.yaml, payload/waves/0: task-07 is no task of this plan",
      "tasks/task-03.yaml, acceptance_criteria/0: spec-output.yaml has no criterion AC-9",
      "tasks/task-01.yaml, relevant_context/files_to_modify/0: src/none.ts does not exist, so it cannot be modified",
      "tasks/task-03.yaml, relevant_context/files_to_modify/0: src/a.ts belongs to task-01 of the same wave",
    ]);
  });

  test("[FOR-035] has every task in exactly one wave, after the tasks it depends on", () => {
    expect(problems([one, two], [["task-01"]])).toEqual(["plan-output.yaml, payload/waves: task-02 is in no wave"]);
    expect(problems([one], [["task-01"], ["task-01"]])).toEqual(["plan-output.yaml, payload/waves/1: task-01 is in a wave already"]);
    const dependent = { ...two, depends_on: ["task-01", "task-09"] };
    expect(problems([one, dependent], [["task-01", "task-02"]])).toEqual([
      "tasks/task-02.yaml, depends_on/0: task-01 is not in an earlier wave",
      "tasks/task-02.yaml, depends_on/1: task-09 is in no wave",
    ]);
    expect(problems([one, { ...two, depends_on: ["task-09"] }], [["task-01", "task-02"]], {}, { finished: ["task-09"] })).toEqual([]);
  });

  test("tasks that depend on each other are a problem in any order of waves", () => {
    const circle = [
      { ...one, depends_on: ["task-02"] },
      { ...two, depends_on: ["task-01"] },
    ];
    for (const waves of [[["task-01"], ["task-02"]], [["task-02"], ["task-01"]], [["task-01", "task-02"]]])
      expect(problems(circle, waves)).not.toEqual([]);
  });

  test("[FOR-036] has no file twice in one wave, also not in another case", () => {
    const other = task("task-02", [file("SRC/A.ts", "create")]);
    expect(problems([one, other], [["task-01", "task-02"]])).toEqual([
      expect.stringContaining("SRC/A.ts belongs to task-01 of the same wave"),
    ]);
    expect(problems([one, task("task-02", [file("src/a.ts")])], [["task-01"], ["task-02"]])).toEqual([]);
  });

  test("[FOR-109] sizes a task with a 🔴 file as Large", () => {
    const risky = task("task-01", [file("src/a.ts", "modify", "🔴")]);
    expect(problems([risky], [["task-01"]], { overall_risk_summary: "🔴" })).toEqual([
      "tasks/task-01.yaml, size: is Standard, but the risks of its files make it Large",
    ]);
    expect(problems([{ ...risky, size: "Large" }], [["task-01"]], { overall_risk_summary: "🔴" })).toEqual([]);
  });

  test("[FOR-060] has only pointers that resolve", () => {
    const lost = { ...one.relevant_context, design_sections: ["design-output.yaml#payload.decisions[id='D-7']"] };
    expect(problems([{ ...one, relevant_context: lost }], [["task-01"]])).toEqual([
      expect.stringMatching(/^tasks\/task-01\.yaml, relevant_context\/design_sections\/0: .*D-7/),
    ]);
  });

  test("creates only what is absent and changes only what is there, wave after wave", () => {
    const created = task("task-01", [file("src/new.ts", "create")]);
    const changed = task("task-02", [file("src/new.ts")]);
    expect(problems([created, changed], [["task-01"], ["task-02"]])).toEqual([]);
    expect(problems([created, changed], [["task-02"], ["task-01"]])).toHaveLength(2);
    const deleted = task("task-01", [file("src/a.ts", "delete")]);
    expect(problems([deleted, task("task-02", [file("src/a.ts", "create")])], [["task-01"], ["task-02"]])).toEqual([]);
    expect(problems([deleted, task("task-02", [file("src/a.ts")])], [["task-01"], ["task-02"]])).toEqual([
      expect.stringContaining("src/a.ts does not exist, so it cannot be modified"),
    ]);
  });
});
