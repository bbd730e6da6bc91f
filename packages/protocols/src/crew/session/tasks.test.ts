import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DispatchedRole } from "../agents.ts";
import { DISPATCHED_ROLES } from "../contract/names.ts";
import { acceptTasksEdit, planProblems } from "./task-edits.ts";
import { maySetTask, TASK_MOVES, withTaskStatus } from "./task-moves.ts";
import { findTask, parseTasks, printTasks, TASK_STATUSES, titleOf, type TasksFile, type CrewTaskStatus } from "./tasks.ts";
import { fullTask, fullTasks, leanTasks } from "./testing/samples.ts";

function parsed(text: string, mode: "full" | "lean" = "full"): TasksFile {
  const read = parseTasks(text, mode);
  if (!read.ok) throw new Error(read.problems.join("; "));
  return read.value;
}
const refused = (text: string, mode: "full" | "lean" = "full") => {
  const read = parseTasks(text, mode);
  return read.ok ? "" : read.problems.join("\n");
};

describe("tasks.yaml", () => {
  test("[CRW-051] a full one has every field", () => {
    expect(parsed(fullTasks([fullTask("T-001"), fullTask("T-002", { depends_on: ["T-001"] })])).tasks).toHaveLength(2);
    for (const field of Object.keys(fullTask("T-001")))
      expect([field, refused(fullTasks([fullTask("T-001", { [field]: undefined })])) !== ""]).toEqual([field, true]);
    expect(refused(`tasks: []`)).not.toBe("");
    expect(refused(fullTasks([]))).toContain("/tasks");
    expect(refused(fullTasks([fullTask("T-001", { type: "feature" })]))).toContain("/tasks/0/type");
  });

  test("[CRW-051] ids are unique, dependencies exist and form no circle", () => {
    expect(refused(fullTasks([fullTask("T-001"), fullTask("T-001")]))).toContain("twice");
    expect(refused(fullTasks([fullTask("T-001", { depends_on: ["T-009"] })]))).toContain("T-009, which does not exist");
    expect(refused(fullTasks([fullTask("T-001", { depends_on: ["T-001"] })]))).toContain("circle: T-001");
    const circle = [
      fullTask("T-001", { depends_on: ["T-003"] }),
      fullTask("T-002", { depends_on: ["T-001"] }),
      fullTask("T-003", { depends_on: ["T-002"] }),
    ];
    expect(refused(fullTasks(circle))).toContain("circle");
  });

  test("[CRW-051] any plan whose tasks depend on earlier ones is taken", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 12 }), (picks) => {
        const tasks = picks.map((pick, index) =>
          fullTask(`T-${String(index + 1).padStart(3, "0")}`, {
            depends_on: index === 0 ? [] : [`T-${String((pick % index) + 1).padStart(3, "0")}`],
          }),
        );
        expect(refused(fullTasks(tasks.toReversed()))).toBe("");
      }),
      { numRuns: 25 },
    );
  });

  test("[CRW-088][CRW-030] every task has checks; a full one depends_on and done_when", () => {
    expect(refused(fullTasks([fullTask("T-001", { acceptance_checks: [] })]))).toContain("acceptance_checks");
    expect(refused(fullTasks([fullTask("T-001", { done_when: [] })]))).toContain("done_when");
    expect(refused(leanTasks({ acceptance_checks: [] }), "lean")).toContain("acceptance_checks");
    for (const field of ["id", "status", "goal"]) expect(refused(leanTasks({ [field]: undefined }), "lean")).toContain(field);
  });

  test("[CRW-084][CRW-088] a lean one has one task of four fields", () => {
    const file = parsed(leanTasks(), "lean");
    expect(file.tasks).toEqual([expect.objectContaining({ id: "T-001", depends_on: [], done_when: [] })]);
    expect(titleOf(file.tasks[0]!)).toBe("Format dates");
    expect(titleOf(fullTask("T-001") as never)).toBe("Task T-001");
    expect(refused(fullTasks([fullTask("T-001"), fullTask("T-002")]), "lean")).not.toBe("");
    expect(refused(leanTasks({ depends_on: ["T-002"] }), "lean")).not.toBe("");
  });

  test("what is no YAML, or has unknown fields, is refused with its place", () => {
    expect(refused("tasks: [", "lean")).toContain("line 1");
    expect(refused(leanTasks({ priority: 1 }), "lean")).toContain("priority");
    expect(refused(`${leanTasks()}tasks: []\n`, "lean")).toContain("twice");
  });

  test("what is printed reads back", () => {
    for (const [text, mode] of [
      [leanTasks({ goal: "a: b # c\nd" }), "lean"],
      [fullTasks([fullTask("T-001", { title: "- 'x': \"y\"" })]), "full"],
    ] as const) {
      const file = parsed(text, mode);
      expect(parsed(printTasks(file), mode)).toEqual(file);
    }
  });
});

describe("the status of a task", () => {
  const file = (status: CrewTaskStatus) => parsed(leanTasks({ status }), "lean");

  test("[CRW-046] moves along the table only", () => {
    const allowed = new Set([
      "not-started in-progress",
      "in-progress implemented",
      "implemented completed",
      "not-started blocked",
      "in-progress blocked",
      "implemented blocked",
      "blocked in-progress",
      "implemented in-progress",
    ]);
    for (const from of TASK_STATUSES)
      for (const to of TASK_STATUSES) {
        if (allowed.has(`${from} ${to}`)) expect(findTask(withTaskStatus(file(from), "T-001", to), "T-001")?.status).toBe(to);
        else
          expect(() => withTaskStatus(file(from), "T-001", to)).toThrow(
            expect.objectContaining({
              code: "invalid_status_transition",
              details: expect.objectContaining({ field: "tasks/T-001/status" }),
            }),
          );
      }
    expect(() => withTaskStatus(file("not-started"), "T-009", "in-progress")).toThrow("T-009");
    expect(findTask(file("not-started"), "T-009")).toBeNull();
  });

  test("[CRW-047] each value has its writers", () => {
    const writers = (to: CrewTaskStatus, mode: "full" | "lean" = "full") =>
      [...DISPATCHED_ROLES, "code" as const].filter((writer) => maySetTask(writer, to, mode));
    expect(writers("not-started")).toEqual(["Planner"]);
    expect(writers("not-started", "lean")).toEqual(["SpecAgent"]);
    expect([...writers("in-progress"), ...writers("implemented")]).toEqual(["Coder", "Coder"]);
    expect(writers("completed")).toEqual(["code"]);
  });

  test("[CRW-050] Reviewer, QA and Security never set `blocked`; the agent of the task and code do", () => {
    const may = (writer: DispatchedRole | "code") => maySetTask(writer, "blocked", "full");
    expect([may("Reviewer"), may("QA"), may("Security"), may("Coder"), may("Integrator"), may("code")]).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
    ]);
  });
});

describe("what agents change in tasks.yaml", () => {
  const before = parsed(fullTasks([fullTask("T-001", { status: "in-progress" }), fullTask("T-002")]));
  const edit = (changes: (file: TasksFile) => unknown, role: DispatchedRole = "Coder", taskId = "T-001") =>
    acceptTasksEdit(before, printTasks(changes(before) as TasksFile), { role, taskId, mode: "full" });
  const withStatus =
    (id: string, status: string) =>
    (file: TasksFile): unknown => ({ ...file, tasks: file.tasks.map((task) => (task.id === id ? { ...task, status } : task)) });

  test("[CRW-047] Coder sets its own task to implemented, also from not-started within one dispatch", () => {
    expect(edit(withStatus("T-001", "implemented"))).toEqual({ next: withStatus("T-001", "implemented")(before), violations: [] });
    expect(edit(withStatus("T-002", "implemented"), "Coder", "T-002").next.tasks[1]?.status).toBe("implemented");
  });

  test.each([
    ["completed", "T-001", "Coder", "T-001"],
    ["implemented", "T-002", "Coder", "T-001"],
    ["implemented", "T-001", "QA", "T-001"],
    ["blocked", "T-001", "Reviewer", "T-001"],
    ["not-started", "T-001", "Planner", "T-001"],
  ] as const)("[CRW-047] %s for %s by %s, dispatched for %s, is refused and the old value kept", (status, id, role, taskId) => {
    const { next, violations } = edit(withStatus(id, status), role, taskId);
    expect(next).toEqual(before);
    expect(violations).toEqual([expect.stringContaining(`${role} set ${id} to ${status}`)]);
  });

  test("other changes are discarded, each with a sentence", () => {
    const goals = edit((file) => ({ ...file, tasks: file.tasks.map((task) => ({ ...task, goal: "less" })) }));
    expect([goals.next, goals.violations.length]).toEqual([before, 2]);
    const fewer = edit((file) => ({ ...file, tasks: file.tasks.slice(0, 1) }));
    expect([fewer.next, fewer.violations]).toEqual([before, [expect.stringContaining("removed T-002")]]);
    const more = edit((file) => ({ ...file, tasks: [...file.tasks, fullTask("T-003")] }));
    expect([more.next, more.violations]).toEqual([before, [expect.stringContaining("added T-003")]]);
    const project = edit((file) => ({ ...file, project: { name: "x", definition_of_done: [] } }));
    expect([project.next, project.violations.length]).toEqual([before, 1]);
    for (const text of [null, "tasks: ["]) {
      const gone = acceptTasksEdit(before, text, { role: "Coder", taskId: "T-001", mode: "full" });
      expect([gone.next, gone.violations.length]).toEqual([before, 1]);
    }
  });

  test("[CRW-047] no edit by an agent completes a task, and none touches another's", () => {
    const status = fc.constantFrom(...TASK_STATUSES);
    fc.assert(
      fc.property(status, status, fc.constantFrom(...DISPATCHED_ROLES), (first, second, role) => {
        const { next } = edit((file) => withStatus("T-002", second)(withStatus("T-001", first)(file) as TasksFile), role);
        expect(next.tasks.map(({ status: now }) => now)).not.toContain("completed");
        expect(next.tasks[1]).toEqual(before.tasks[1]);
      }),
    );
  });

  test("[CRW-047] a plan begins with not-started, a corrected one keeps what was done", () => {
    const plan = parsed(fullTasks([fullTask("T-001"), fullTask("T-002", { status: "completed" })]));
    expect(planProblems(plan, null)).toEqual([expect.stringContaining("T-002 begins as completed")]);
    expect(planProblems(plan, before)).toHaveLength(2);
    expect(planProblems(before, before)).toEqual([]);
  });

  test("no way leads out of completed", () => {
    expect(TASK_MOVES.completed).toEqual([]);
  });
});
