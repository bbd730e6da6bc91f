import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ProductSpec, SpecTask } from "../product/spec.ts";
import { sampleSpec, sampleTask } from "../product/testing/specs.ts";
import { nameTasks } from "../project/task-names.ts";
import { planProject } from "../project/plan.ts";
import type { Task } from "../project/state.ts";
import { specOf } from "../project/testing/specs.ts";
import { carryOver } from "./carry.ts";
import { nodeReader } from "./node.ts";
import { planRebuild, type EarlierProject, type EarlierTask, type RebuildPlan } from "./plan.ts";
import { planLines, planSummary } from "./text.ts";

const AT = "2026-01-02T03:04:05Z";
const ref = (task: string) => `MM-${task}@1.0.0`;
const shipped = (id: string, refs = [ref(id)]): Partial<Task> => ({
  status: "SHIPPED",
  module_refs: refs,
  module_ref: refs.at(-1) ?? null,
  shipped_at: AT,
});

/** The project of a spec with every task shipped, unless overridden. */
function projectOf(spec: ProductSpec, entries: Record<string, Partial<Task>> = {}, parts: Partial<EarlierProject> = {}): EarlierProject {
  const tasks = planProject(spec).tasks.map(({ task_id, entry, sheet }): EarlierTask => {
    const change = entries[task_id.slice(-3)] ?? shipped(task_id.slice(-3));
    return { task_id, entry: { ...entry, ...change }, sheet };
  });
  return { project_id: "before", tasks, problemOf: () => null, inPlaceOf: (one) => one, ...parts };
}

function nextOf(spec: ProductSpec) {
  const nodeOf = nodeReader();
  return nameTasks(spec).map((named) => ({ task_id: named.task_id, name: named.task.name, node: nodeOf(named) }));
}

const again = (before: EarlierProject, spec: ProductSpec) => planRebuild(before, nextOf(spec));
const fates = ({ tasks }: RebuildPlan) =>
  tasks.map(({ task_id, action, because }) => `${task_id.slice(-3)} ${action}: ${because.join("; ")}`);

const [A, B] = [sampleTask(1), sampleTask(2, { depends_on: ["TSK-001"] })];
const both = sampleSpec([A, B]);

describe("what an edited spec changes for a task", () => {
  const edits: [string, Partial<SpecTask>, string][] = [
    ["its name", { name: "Other" }, "name changed"],
    ["a subtask", { subtasks: ["a", "b"] }, "subtasks changed"],
    ["a criterion", { acceptance_criteria: ["returns a", "raises b"] }, "acceptance_criteria changed"],
    ["one part of its sketch", { io_contract_sketch: { ...A.io_contract_sketch, modes: "async" } }, "io_contract_sketch changed"],
    ["what it depends on", { depends_on: ["TSK-002"] }, "depends_on changed"],
  ];
  test.each(edits)("%s", (_, edit, because) => {
    const plan = again(projectOf(sampleSpec([A, sampleTask(2)])), sampleSpec([{ ...A, ...edit }, sampleTask(2)]));
    expect(fates(plan)).toEqual([`001 rebuild: ${because}`, "002 keep: unchanged"]);
  });

  test.each(["pillar", "epic", "story"] as const)(
    "the text of its %s as in its file, and nothing that the file does not contain",
    (level) => {
      const spec = structuredClone(both);
      const [pillar] = spec.pillars as [ProductSpec["pillars"][number]];
      const [epic] = pillar.epics as [(typeof pillar)["epics"][number]];
      const [story] = epic.stories as [(typeof epic)["stories"][number]];
      pillar.rationale = epic.success_criteria[0] = story.user_facing_behavior = spec.description = "Other.";
      spec.spec_version = "1.1.0";
      expect(planSummary(again(projectOf(both), spec))).toBe("2 kept");
      ({ pillar, epic, story })[level].description = "Other.";
      expect(fates(again(projectOf(both), spec))).toEqual([`001 rebuild: ${level} changed`, `002 rebuild: ${level} changed`]);
    },
  );

  test("spaces are no change, and neither is a shifted number", () => {
    const spaced = { ...A, description: `  ${A.description.replaceAll(" ", " \n ")}` };
    expect(planSummary(again(projectOf(both), sampleSpec([spaced, B])))).toBe("2 kept");
    const moved = again(
      projectOf(both),
      sampleSpec([
        { ...B, task_id: "TSK-007", depends_on: ["TSK-009"] },
        { ...A, task_id: "TSK-009" },
      ]),
    );
    expect(planSummary(moved)).toBe("2 kept");
    expect(planLines(moved)[1]).toContain("(Parse record 2, before T-reading-statements-import-a-statement-002): unchanged [MM-002@1.0.0]");
  });

  test("a number reused for something else is another task; the name still finds the old one", () => {
    const other = sampleTask(1, { name: "Render", description: "d", subtasks: ["a", "b"], acceptance_criteria: ["returns a", "raises b"] });
    const sketch = { inputs: "1", outputs: "2", error_surfaces: "3", effects: "4", modes: "5" };
    const renamed = { ...A, task_id: "TSK-005", description: "Another text." };
    const plan = again(projectOf(sampleSpec([A])), sampleSpec([{ ...other, io_contract_sketch: sketch }, renamed]));
    expect(fates(plan)).toEqual(["001 build: new", "002 rebuild: description changed"]);
    expect(plan.removed).toEqual([]);
  });

  test("a deprecated module is built again; a superseded one is kept as its successor", () => {
    const problemOf = (one: string) => (one === ref("001") ? `${one} is DEPRECATED` : null);
    expect(fates(again(projectOf(both, {}, { problemOf }), both))).toEqual([
      "001 rebuild: MM-001@1.0.0 is DEPRECATED",
      "002 recheck: unchanged; depends on T-reading-statements-import-a-statement-001",
    ]);
    const { tasks } = again(projectOf(both, {}, { inPlaceOf: () => "MM-new@2.0.0" }), both);
    expect(tasks.map(({ module_refs }) => module_refs)).toEqual([["MM-new@2.0.0"], ["MM-new@2.0.0"]]);
  });

  test("a split task counts as shipped when all its parts are; a task that a person added is not part of the spec", () => {
    const parts = sampleSpec([A, B, sampleTask(3), sampleTask(4)]);
    const split = (other: Partial<Task>) => {
      const before = projectOf(parts, {
        "001": { status: "ABANDONED", superseded_by: ["003", "004"].map((end) => `T-reading-statements-import-a-statement-${end}`) },
        "004": other,
      });
      const tasks = before.tasks.map((task) => {
        const { node: _, ...sheet } = task.sheet;
        return Number(task.task_id.slice(-3)) > 2 ? { ...task, sheet } : task;
      });
      return again({ ...before, tasks }, both);
    };
    expect(split(shipped("004")).tasks[0]).toMatchObject({ action: "keep", module_refs: ["MM-003@1.0.0", "MM-004@1.0.0"] });
    expect(split(shipped("004")).removed).toEqual([]);
    expect(fates(split({ status: "HALTED" }))[0]).toBe("001 build: not finished before (ABANDONED)");
  });

  test("a task attested without a module stays, whatever happens to its dependencies", () => {
    expect(fates(again(projectOf(both, { "002": shipped("002", []) }), sampleSpec([{ ...A, name: "Other" }, B])))[1]).toBe(
      "002 keep: unchanged",
    );
  });

  test("a task that an earlier run should have rechecked and did not is rechecked by the next", () => {
    const before = projectOf(both, { "002": { status: "PENDING" } });
    const look = { action: "recheck" as const, because: ["x"], module_refs: [ref("002")], revisable: [] };
    const tasks = before.tasks.map((task) => (task.task_id.endsWith("2") ? { ...task, sheet: { ...task.sheet, before: look } } : task));
    expect(again({ ...before, tasks }, both).tasks[1]).toMatchObject({ action: "recheck", module_refs: [ref("002")] });
    const rebuilt = tasks.map((task) => ({
      ...task,
      sheet: { ...task.sheet, ...(task.sheet.before === undefined ? {} : { before: { ...look, action: "rebuild" as const } }) },
    }));
    expect(fates(again({ ...before, tasks: rebuilt }, both))[1]).toBe("002 rebuild: not finished before (PENDING)");
  });
});

test("in any spec, edited tasks and their dependants run, and nothing else", () => {
  const shapes = fc.record({
    edges: fc.array(fc.nat({ max: 1000 }), { minLength: 12, maxLength: 12 }),
    edited: fc.uniqueArray(fc.nat({ max: 11 }), { maxLength: 4 }),
  });
  fc.assert(
    fc.property(shapes, ({ edges, edited }) => {
      const dependsOn = (task: number) => (task === 0 || edges[task]! % 3 === 0 ? [] : [edges[task]! % task]);
      const spec = specOf({ pillars: 2, epics: 2, stories: 1, tasks: 3, dependsOn });
      const next = structuredClone(spec);
      const tasks = next.pillars
        .flatMap(({ epics }) => epics)
        .flatMap(({ stories }) => stories)
        .flatMap((story) => story.tasks);
      for (const number of edited) tasks[number]!.description = "Other.";
      const before = planProject(spec).tasks.map(({ task_id, entry, sheet }, number) => ({
        task_id,
        sheet,
        entry: { ...entry, ...shipped(String(number)) },
      }));
      const earlier = { project_id: "p", tasks: before, problemOf: () => null, inPlaceOf: (one: string) => one };
      const reached = (number: number): boolean => edited.includes(number) || dependsOn(number).some(reached);
      const actions = again(earlier, next).tasks.map(({ action }) => action);
      expect(actions).toEqual(tasks.map((_, number) => (edited.includes(number) ? "rebuild" : reached(number) ? "recheck" : "keep")));
      const carried = carryOver(planProject(next), { plan: again(earlier, next), tasks: before, contracts: new Map() });
      expect(carried.tasks.map(({ entry }) => entry.status === "SHIPPED")).toEqual(actions.map((action) => action === "keep"));
    }),
  );
});

test("amendments belong to the text they were made for; a module of two tasks belongs to neither; kept modules are shown by their contracts", () => {
  const before = projectOf(sampleSpec([A, B, sampleTask(3)]), { "003": shipped("003", [ref("001"), ref("003")]) });
  const amendments = [{ at: AT, rationale: "r", replaced: A.acceptance_criteria }];
  const tasks = before.tasks.map((task) => ({
    ...task,
    sheet: { ...task.sheet, acceptance_criteria: ["returns what was agreed"], amendments },
  }));
  const spec = sampleSpec([A, { ...B, name: "Other" }, sampleTask(3, { name: "Third" })]);
  const contracts = new Map([[ref("001"), { ref: ref("001"), summary: "Parses.", examples: null }]]);
  const carried = carryOver(planProject(spec), { plan: again({ ...before, tasks }, spec), tasks, contracts });
  expect(carried.tasks.map(({ sheet }) => sheet.amendments.length)).toEqual([1, 0, 0]);
  expect(carried.tasks.map(({ sheet }) => sheet.before?.revisable)).toEqual([undefined, ["MM-002"], ["MM-003"]]);
  expect(carried.files[1]!.text).toContain("- MM-001@1.0.0: Parses.");
  expect(carried.view).toMatchObject({ counts: { SHIPPED: 1, PENDING: 2 } });
});

test("a long plan is shortened, with the number of omitted tasks", () => {
  const spec = specOf({ pillars: 1, epics: 1, stories: 1, tasks: 60 });
  const plan = again(projectOf(spec), spec);
  expect(planLines(plan)).toHaveLength(52);
  expect(planLines(plan).at(-1)).toBe("  … and 10 more");
  expect(planSummary({ ...plan, removed: [{ task_id: "T", name: "n", module_refs: [] }] })).toBe("60 kept, 1 removed");
});
