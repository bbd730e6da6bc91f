import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ProductSpec } from "../product/spec.ts";
import { planProject } from "./plan.ts";
import { stateMachineSchema } from "./state.ts";
import { specOf, specTask } from "./testing/specs.ts";

const small = () => specOf({ pillars: 2, epics: 2, stories: 2, tasks: 2, dependsOn: (task) => (task === 0 ? [] : [task - 1]) });

/** One task below the given names. */
function named(pillar: string, epic: string, story: string, tasks: readonly string[] = ["Task"]): ProductSpec {
  const spec = specOf({ pillars: 1, epics: 1, stories: 1, tasks: 1 });
  const [first] = spec.pillars;
  const [second] = first!.epics;
  const [third] = second!.stories;
  const leaf = { ...third!, name: story, tasks: tasks.map((name, number) => specTask(number, { name })) };
  return { ...spec, pillars: [{ ...first!, name: pillar, epics: [{ ...second!, name: epic, stories: [leaf] }] }] };
}

/** The trees of several specs in one, with their own ids. */
function joined(...specs: readonly ProductSpec[]): ProductSpec {
  const text = JSON.stringify(
    specs.map((spec, index) =>
      spec.pillars.map((pillar) => JSON.parse(JSON.stringify(pillar).replaceAll("TSK-", `TSK-${index + 1}`)) as typeof pillar),
    ),
  );
  return { ...specs[0]!, pillars: (JSON.parse(text) as ProductSpec["pillars"][]).flat() };
}

const ids = (spec: ProductSpec) => planProject(spec).tasks.map(({ task_id }) => task_id);

test("[FAC-041] every task is PENDING and numbered from 0 in the order of the spec, depth first", () => {
  const { tasks } = planProject(small());
  expect(tasks.map(({ entry }) => entry.declaration_order)).toEqual(tasks.map((_, index) => index));
  expect(tasks.every(({ entry }) => entry.status === "PENDING")).toBe(true);
  expect(tasks.map(({ sheet }) => sheet.name)).toEqual(tasks.map((_, index) => `Task ${index}`));
  expect(tasks[2]?.entry).toMatchObject({ pillar: "pillar-0", epic: "epic-0", story: "story-1" });
});

describe("[FAC-052] a task id", () => {
  test("consists of the slugs above the task and its number in the story", () => {
    expect(ids(named("Core Infra", "Auth Service", "Setup"))).toEqual(["T-core-infra-auth-service-setup-001"]);
    expect(ids(small()).slice(0, 4)).toEqual(
      [1, 2].flatMap((story) => ["001", "002"].map((seq) => `T-pillar-0-epic-0-story-${story - 1}-${seq}`)),
    );
  });

  test("999 tasks fit into a story, 1000 do not", () => {
    const story = (tasks: number) =>
      named(
        "P",
        "E",
        "Big story",
        Array.from({ length: tasks }, (_, number) => `Task ${number}`),
      );
    expect(ids(story(999)).at(-1)).toBe("T-p-e-big-story-999");
    expect(() => ids(story(1000))).toThrow(/"Big story" has 1000 tasks; at most 999/);
  });

  test("[FAC-053] of more than 128 characters is refused with the task and the length", () => {
    const fits = named("p".repeat(40), "e".repeat(40), "s".repeat(40));
    expect(ids(fits)[0]).toHaveLength(128);
    expect(() => ids(named("p".repeat(40), "e".repeat(40), "s".repeat(41), ["Send mail"]))).toThrow(
      /"Send mail" would have 129 characters/,
    );
  });

  test("[FAC-054] of two tasks is refused with both names and the id", () => {
    const clash = joined(named("A B", "C", "S", ["First task"]), named("A", "B C", "S", ["Second task"]));
    expect(() => ids(clash)).toThrow(/"First task".*"Second task".*both get the id T-a-b-c-s-001/);
  });
});

test("[FAC-051] siblings with one slug get numbers, in folders and in ids; under other parents they do not", () => {
  const spec = joined(named("Login!", "Epic", "Story"), named("Login?", "Epic", "Story", ["Same", "Same"]));
  expect(planProject(spec).files.map(({ path }) => path)).toEqual([
    "project/login/epic/story/task/T-login-epic-story-001.md",
    "project/login-2/epic/story/same/T-login-2-epic-story-001.md",
    "project/login-2/epic/story/same-2/T-login-2-epic-story-002.md",
  ]);
});

test.each([
  ["pillar", named("日本語", "E", "S")],
  ["epic", named("P", "!!!", "S")],
  ["story", named("P", "E", "—")],
  ["task", named("P", "E", "S", ["Имя"])],
])("[FAC-050] a %s whose name has no slug is refused by name", (level, spec) => {
  expect(() => ids(spec)).toThrow(new RegExp(`The name of the ${level} "(日本語|!!!|—|Имя)"`));
});

test("[FAC-055] the same spec gives the same plan, with any names", () => {
  const name = fc.string({ minLength: 1, maxLength: 20 }).map((text) => `x ${text}`);
  fc.assert(
    fc.property(name, name, name, fc.array(name, { minLength: 1, maxLength: 4 }), (...names) => {
      const [once, again] = [planProject(named(...names)), planProject(structuredClone(named(...names)))];
      expect(again).toEqual(once);
      for (const { entry, task_id, sheet } of once.tasks) {
        expect(sheet.path).toBe(`project/${entry.pillar}/${entry.epic}/${entry.story}/${entry.task}/${task_id}.md`);
      }
    }),
    { numRuns: 50 },
  );
});

test("[FAC-017] dependencies are task ids of the project; a missing one or a cycle is refused", () => {
  const { tasks } = planProject(small());
  expect(tasks[3]?.entry.depends_on).toEqual([tasks[2]?.task_id]);
  expect(JSON.stringify(tasks.map(({ entry }) => entry))).not.toContain("TSK-");
  const one = (dependsOn: readonly number[]) => specOf({ pillars: 1, epics: 1, stories: 1, tasks: 2, dependsOn: () => dependsOn });
  expect(() => planProject(one([7]))).toThrow(/depends on TSK-007, which is no task/);
  expect(() => planProject(one([0]))).toThrow(/in a circle/);
  expect(
    planProject(specOf({ pillars: 1, epics: 1, stories: 1, tasks: 2, dependsOn: (task) => (task ? [0, 0] : []) })).tasks[1]?.entry
      .depends_on,
  ).toHaveLength(1);
});

test.each([
  ["description", { description: " " }],
  ["subtasks", { subtasks: ["", " "] }],
  ["acceptance_criteria", { acceptance_criteria: [] }],
  ["io_contract_sketch.modes", { io_contract_sketch: { ...specTask(0).io_contract_sketch, modes: "" } }],
  ["io_contract_sketch.error_surfaces", { io_contract_sketch: { ...specTask(0).io_contract_sketch, error_surfaces: "\n" } }],
])("[FAC-060] a file whose %s cannot be filled is refused with the field and the task", (field, parts) => {
  const spec = named("P", "E", "S", ["Send mail"]);
  spec.pillars[0]!.epics[0]!.stories[0]!.tasks[0] = specTask(0, { name: "Send mail", ...parts });
  expect(() => planProject(spec)).toThrow(
    new RegExp(`T-p-e-s-001 \\("Send mail"\\) cannot be filled: ${field.replaceAll(".", "\\.")} is missing`),
  );
});

test("[FAC-060] every missing field is named, also those above the task", () => {
  const spec = named("P", "E", "S");
  spec.pillars[0]!.description = "";
  spec.pillars[0]!.epics[0]!.stories[0]!.tasks[0] = { ...specTask(0), description: "", io_contract_sketch: undefined as never };
  expect(() => planProject(spec)).toThrow(
    /description, pillar\.description, io_contract_sketch\.inputs, .*effects, io_contract_sketch\.modes are missing/,
  );
});

test("[FAC-062] entries have every field of the state machine, and nothing else", () => {
  const { tasks } = planProject(small());
  const machine = {
    project_id: "p",
    spec_version: "1.0.0",
    updated_at: "2026-01-02T03:04:05Z",
    tasks: Object.fromEntries(tasks.map(({ task_id, entry }) => [task_id, entry])),
  };
  expect(stateMachineSchema.safeParse(machine).success).toBe(true);
  expect(Object.keys(tasks[0]!.entry).toSorted()).toEqual(
    [
      "pillar",
      "epic",
      "story",
      "task",
      "status",
      "depends_on",
      "module_ref",
      "module_refs",
      "shipped_at",
      "halted_reason",
      "escalation_ref",
      "declaration_order",
    ].toSorted(),
  );
  const [id = ""] = Object.keys(machine.tasks);
  const broken = (parts: object) =>
    stateMachineSchema.safeParse({ ...machine, tasks: { [id]: { ...machine.tasks[id], ...parts } } }).success;
  for (const parts of [{ status: "DONE" }, { module_ref: "mail@1" }, { declaration_order: -1 }, { extra: 1 }, { escalation_ref: "7" }]) {
    expect(broken(parts), JSON.stringify(parts)).toBe(false);
  }
  expect(broken({ superseded_by: [id], module_ref: "MM-mail@1.0.0" })).toBe(true);
});
