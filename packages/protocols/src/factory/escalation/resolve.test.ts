import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openBoard } from "../project/board.ts";
import { blockedProblems } from "../project/cascade.ts";
import { taskFile } from "../project/task-file.ts";
import { specTask } from "../project/testing/specs.ts";
import { checkAnswer } from "./answers.ts";
import { resolve, type ResolutionFacts, type StateChanges } from "./resolve.ts";
import { RESOLUTIONS } from "./schema.ts";
import { AT, facts, idOf, microPlan, tasksAs } from "./testing/samples.ts";

const problemsOf = (answer: unknown, given: ResolutionFacts = facts()) => {
  const resolved = resolve(answer, given);
  return resolved.ok ? "" : resolved.problems.join("\n");
};
const done = (answer: unknown, given: ResolutionFacts = facts()): StateChanges => {
  const resolved = resolve(answer, given);
  if (!resolved.ok) throw new Error(resolved.problems.join("; "));
  return resolved;
};
/** The statuses after all changes, with the BLOCKED rule checked after each. */
const after = ({ changes }: StateChanges, given: ResolutionFacts = facts()) => {
  const board = openBoard(given.tasks);
  for (const change of changes) board.apply(change);
  expect(blockedProblems(board.tasks())).toEqual([]);
  return Object.values(board.tasks()).map(({ status }) => status);
};
const { task_id: _specId, ...wish } = specTask(9, { name: "First half", depends_on: [] });
const newTask = (name: string, depends_on: string[] = []) => ({ ...wish, name, depends_on });

describe("[FAC-205] an invalid answer", () => {
  test.each([
    ["text", "just ship it", "names one action of APPROVE_OVERRIDE"],
    ["nothing", null, "names one action"],
    ["a text in an object", { comment: "just ship it" }, "names one action"],
    ["an unknown action", { action: "RETRY", rationale: "why not" }, "/action"],
    ["APPROVE_OVERRIDE without a rationale", { action: "APPROVE_OVERRIDE" }, "/rationale"],
    ["APPROVE_OVERRIDE with an empty one", { action: "APPROVE_OVERRIDE", rationale: " " }, "/rationale"],
    ["AMEND_SPEC without criteria", { action: "AMEND_SPEC", amendment_rationale: "x" }, "/amended_acceptance_criteria"],
    [
      "AMEND_SPEC with none",
      { action: "AMEND_SPEC", amendment_rationale: "x", amended_acceptance_criteria: [] },
      "/amended_acceptance_criteria",
    ],
    ["AMEND_SPEC without a rationale", { action: "AMEND_SPEC", amended_acceptance_criteria: ["x"] }, "/amendment_rationale"],
    ["SPLIT_TASK into nothing", { action: "SPLIT_TASK", new_tasks: [] }, "/new_tasks"],
    ["REVISE_PLAN without a plan", { action: "REVISE_PLAN" }, "/revised_micro_plan"],
    ["PROVIDE_FIX without a description", { action: "PROVIDE_FIX", fix_artifacts: { "tests/a.ts": "" } }, "/fix_description"],
    ["PROVIDE_FIX without files", { action: "PROVIDE_FIX", fix_description: "x", fix_artifacts: {} }, "/fix_artifacts"],
    ["ABANDON_TASK without a rationale", { action: "ABANDON_TASK" }, "/rationale"],
    ["an unknown field", { action: "ABANDON_TASK", rationale: "x", force: true }, "/force"],
  ])("is refused with the reason: %s", (_case, answer, said) => {
    expect(problemsOf(answer)).toContain(said);
    expect(checkAnswer(answer).ok).toBe(false);
  });

  test("all missing fields are reported at once", () => {
    const problems = problemsOf({ action: "PROVIDE_FIX" });
    expect([problems.includes("/fix_description"), problems.includes("/fix_artifacts")]).toEqual([true, true]);
  });

  test("only a halted task can be resolved", () => {
    const abandon = { action: "ABANDON_TASK", rationale: "x" };
    for (const status of ["PENDING", "IN_PROGRESS", "SHIPPED", "ABANDONED"] as const)
      expect(problemsOf(abandon, facts({ tasks: tasksAs(status) }))).toContain(`is ${status}`);
    expect(problemsOf(abandon, { ...facts(), task_id: "T-x-y-z-001" })).toContain("no task of the project");
  });
});

describe("APPROVE_OVERRIDE", () => {
  const answer = { action: "APPROVE_OVERRIDE", rationale: "The objection is about taste." };
  test("goes to the ship step with the person's rationale as adjudication, and ships nothing by itself", () => {
    const resolved = done(answer);
    expect(after(resolved).slice(0, 3)).toEqual(["IN_PROGRESS", "PENDING", "PENDING"]);
    expect(resolved.resume).toEqual({
      at: "ship",
      module_id: "MM-part",
      adjudication: { decision: "APPROVE", amendments: [], rationale: "The objection is about taste.", ship_directive: "SHIP" },
    });
  });

  test("needs a deliverable, and a choice if there are several", () => {
    const [part] = facts().failed;
    const two = facts({ failed: [part!, { ...part!, module_id: "MM-other" }, { ...part!, module_id: "MM-none", files: null }] });
    expect(problemsOf(answer, facts({ failed: [] }))).toContain("Nothing was delivered");
    expect(problemsOf(answer, two)).toContain("/module_id: name one of MM-part, MM-other");
    expect(problemsOf({ ...answer, module_id: "MM-none" }, two)).toContain("MM-none is not one of the failed modules");
    expect(done({ ...answer, module_id: "MM-other" }, two).resume).toMatchObject({ module_id: "MM-other" });
  });
});

test("[FAC-207] AMEND_SPEC replaces the criteria, keeps the old ones in the task's file, and starts over", () => {
  const resolved = done({
    action: "AMEND_SPEC",
    amended_acceptance_criteria: ["Returns 0 for no text"],
    amendment_rationale: "Zero is enough.",
  });
  expect(after(resolved)).toEqual(["PENDING", "PENDING", "PENDING", "PENDING"]);
  expect(resolved.resume).toEqual({ at: "dispatch" });
  const text = taskFile(resolved.sheets[idOf(0)]!, []);
  const [criteria, history] = [text.indexOf("## Acceptance Criteria"), text.indexOf("## Amendment History")];
  expect(criteria).toBeGreaterThan(0);
  expect(text.slice(criteria, history)).toContain("- Returns 0 for no text");
  expect(text.slice(criteria, history)).not.toContain("Returns a number for every text");
  expect(text.slice(history)).toContain("Returns a number for every text");
  expect(text.slice(history)).toContain(`${AT}: Zero is enough.`);
});

describe("SPLIT_TASK", () => {
  const split = (...new_tasks: object[]) => ({ action: "SPLIT_TASK", new_tasks });

  test("[FAC-208] replaces the task with new ones; the old one is abandoned and names them", () => {
    const resolved = done(split(newTask("First half"), newTask("Second half", ["First half", idOf(3)])));
    const board = openBoard(facts().tasks);
    for (const change of resolved.changes) board.apply(change);
    const [first, second] = [idOf(0).replace("001", "005"), idOf(0).replace("001", "006")];
    expect(board.task(idOf(0))).toMatchObject({ status: "ABANDONED", superseded_by: [first, second] });
    expect(board.task(second)).toMatchObject({ status: "PENDING", depends_on: [first, idOf(3)] });
    expect(resolved.files.map(({ path }) => path.split("/").at(-1))).toEqual([`${first}.md`, `${second}.md`]);
    expect(resolved.files[0]?.text).toContain("# Task: First half");
  });

  test("[FAC-209] gives them unused ids and the next positions in the order, beside abandoned tasks too", () => {
    const given = facts({ tasks: { ...tasksAs("HALTED", "BLOCKED", "BLOCKED", "ABANDONED") } });
    const board = openBoard(given.tasks);
    for (const change of done(split(newTask("One"), newTask("Two")), given).changes) board.apply(change);
    const added = Object.entries(board.tasks()).slice(4);
    expect(added.map(([id, { declaration_order }]) => [id.slice(-3), declaration_order])).toEqual([
      ["005", 4],
      ["006", 5],
    ]);
  });

  test.each([
    [
      "[FAC-208] a missing field of a task's file",
      [{ name: "x", description: "y", acceptance_criteria: ["z"], depends_on: [] }],
      "/new_tasks/0/subtasks",
    ],
    ["[FAC-208] two of one name", [newTask("One"), newTask("One")], 'two of them are called "One"'],
    ["[FAC-209] a cycle", [newTask("One", ["Two"]), newTask("Two", ["One"])], "in a circle"],
    ["[FAC-209] an unknown task", [newTask("One", ["T-x-y-z-001"])], "no task of the project"],
    ["[FAC-209] an abandoned task", [newTask("One", [idOf(3)])], "ABANDONED"],
    ["[FAC-209] the task that is split", [newTask("One", [idOf(0)])], "ABANDONED"],
    ["a name without a letter", [newTask("!!!")], "has no letter or digit"],
  ])("%s is refused before anything changes", (_case, tasks, said) => {
    const given = facts({ tasks: tasksAs("HALTED", "BLOCKED", "BLOCKED", "ABANDONED") });
    const before = structuredClone(given.tasks);
    expect(problemsOf(split(...tasks), given)).toContain(said);
    expect(given.tasks).toEqual(before);
  });
});

describe("REVISE_PLAN", () => {
  test("starts at the plan step with the person's plan", () => {
    const resolved = done({ action: "REVISE_PLAN", revised_micro_plan: microPlan() });
    expect(after(resolved)[0]).toBe("IN_PROGRESS");
    expect(resolved.resume).toEqual({ at: "micro_plan", plan: microPlan() });
  });

  test("is checked like a planner's", () => {
    const plan = microPlan();
    const [module] = plan.modules;
    const answer = {
      action: "REVISE_PLAN",
      revised_micro_plan: { ...plan, modules: [{ ...module!, io_contract: { ...module!.io_contract, effects: ["TBD"] } }] },
    };
    expect(problemsOf(answer)).toContain("/revised_micro_plan/modules/0/io_contract/effects/0: is a placeholder");
    const existing = facts({ planFacts: { existing: new Set(["MM-part"]), successors: new Set(), shipped: new Set(), reuse: {} } });
    expect(problemsOf({ action: "REVISE_PLAN", revised_micro_plan: plan }, existing)).toContain("exists already");
  });
});

describe("PROVIDE_FIX", () => {
  const fix = (fix_artifacts: Record<string, string>) => ({
    action: "PROVIDE_FIX",
    fix_description: "Handles the empty text.",
    fix_artifacts,
  });

  test("becomes a person's proposal and goes to the challenge", () => {
    const resolved = done(fix({ "implementation/index.ts": "mended" }));
    expect(after(resolved)[0]).toBe("IN_PROGRESS");
    expect(resolved.resume).toEqual({
      at: "challenge",
      module_id: "MM-part",
      proposal: {
        proposed_by: "human",
        claim: "Handles the empty text.",
        acceptance_checks: facts().sheet.acceptance_criteria,
        files: { "implementation/index.ts": "mended", "examples.md": "# Examples" },
      },
    });
  });

  test.each([
    "../other/index.ts",
    "/etc/passwd",
    "implementation/../../x.ts",
    "src/index.ts",
    "implementation/",
    "ship.json",
    "a\\b",
    "tests/./a.ts",
    "implementation/.git/config",
  ])("writes nothing outside the module's workspace: %s", (path) => {
    expect(problemsOf(fix({ [path]: "x", "tests/a.ts": "y" }))).toContain(JSON.stringify(path));
  });

  test("needs a deliverable to fix", () => {
    expect(problemsOf(fix({ "tests/a.ts": "x" }), facts({ failed: [] }))).toContain("Nothing was delivered");
  });
});

test("[FAC-212] ABANDON_TASK ends it for good; [FAC-213] its dependants stay BLOCKED", () => {
  const resolved = done({ action: "ABANDON_TASK", rationale: "Nobody needs it." });
  expect(resolved.changes).toEqual([{ kind: "abandon", task: idOf(0), by: "ABANDON_TASK", rationale: "Nobody needs it." }]);
  expect(after(resolved)).toEqual(["ABANDONED", "BLOCKED", "BLOCKED", "PENDING"]);
});

describe("[FAC-213] a dependent of an abandoned task", () => {
  const blocked = facts({ task_id: idOf(1), tasks: tasksAs("ABANDONED", "BLOCKED", "BLOCKED") });
  const amend = { action: "AMEND_SPEC", amended_acceptance_criteria: ["x"], amendment_rationale: "y" };

  test("gets other dependencies, is split or abandoned, and nothing else", () => {
    expect(after(done({ ...amend, depends_on: [] }, blocked), blocked)).toEqual(["ABANDONED", "PENDING", "PENDING", "PENDING"]);
    expect(after(done({ ...amend, depends_on: [idOf(3)] }, blocked), blocked)[1]).toBe("PENDING");
    expect(done({ ...amend, depends_on: [idOf(3)] }, blocked).sheets[idOf(1)]?.depends_on).toEqual([idOf(3)]);
    expect(after(done({ action: "ABANDON_TASK", rationale: "x" }, blocked), blocked)).toEqual([
      "ABANDONED",
      "ABANDONED",
      "BLOCKED",
      "PENDING",
    ]);
    expect(after(done({ action: "SPLIT_TASK", new_tasks: [newTask("One")] }, blocked), blocked)[1]).toBe("ABANDONED");
    for (const answer of [
      { action: "APPROVE_OVERRIDE", rationale: "x" },
      { action: "REVISE_PLAN", revised_micro_plan: microPlan() },
      { action: "PROVIDE_FIX", fix_description: "x", fix_artifacts: { "tests/a.ts": "" } },
    ])
      expect(problemsOf(answer, blocked)).toContain("is BLOCKED");
  });

  test("cannot continue with a missing dependency", () => {
    expect(problemsOf(amend, blocked)).toContain("/depends_on");
    expect(problemsOf({ ...amend, depends_on: [idOf(0)] }, blocked)).toContain("ABANDONED");
    expect(problemsOf({ ...amend, depends_on: [idOf(2)] }, blocked)).toContain("itself");
    const waiting = facts({ task_id: idOf(1) });
    expect(problemsOf({ action: "ABANDON_TASK", rationale: "x" }, waiting)).toContain("HALTED, not ABANDONED");
  });
});

test("[FAC-215] the same answer on the same state always gives the same changes, and does not change the facts", () => {
  const answers = [
    { action: "APPROVE_OVERRIDE", rationale: "x" },
    { action: "AMEND_SPEC", amended_acceptance_criteria: ["x"], amendment_rationale: "y", depends_on: [idOf(3)] },
    { action: "SPLIT_TASK", new_tasks: [newTask("One"), newTask("Two", ["One"])] },
    { action: "REVISE_PLAN", revised_micro_plan: microPlan() },
    { action: "PROVIDE_FIX", fix_description: "x", fix_artifacts: { "tests/a.ts": "" } },
    { action: "ABANDON_TASK", rationale: "x" },
  ];
  expect(answers.map(({ action }) => action).toSorted()).toEqual(RESOLUTIONS.toSorted());
  fc.assert(
    fc.property(fc.constantFrom(...answers), (answer) => {
      const given = facts();
      const before = JSON.stringify(given);
      expect(resolve(answer, given)).toEqual(resolve(answer, given));
      expect(JSON.stringify(given)).toBe(before);
      expect(after(done(answer, given), given)[0]).not.toBe("HALTED");
    }),
    { numRuns: 30 },
  );
});
