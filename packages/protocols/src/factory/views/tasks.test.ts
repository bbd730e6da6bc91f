import { expect, test } from "vitest";
import type { Task } from "../project/state.ts";
import { taskTree, type TaskLine } from "./tasks.ts";

function task(order: number, status: Task["status"], depends_on: readonly string[] = [], more: Partial<Task> = {}): Task {
  return {
    pillar: "reading",
    epic: "files",
    story: "open",
    task: `task-${order}`,
    status,
    depends_on: [...depends_on],
    module_ref: null,
    module_refs: [],
    shipped_at: null,
    halted_reason: null,
    escalation_ref: null,
    declaration_order: order,
    ...more,
  };
}
const lines = (tasks: ReadonlyMap<string, Task>): TaskLine[] =>
  taskTree(tasks).flatMap(({ epics }) => epics.flatMap(({ stories }) => stories.flatMap((story) => story.tasks)));

test("every task has its position, in the order of the spec", () => {
  const tree = taskTree(
    new Map([
      ["T-c", task(3, "PENDING", [], { pillar: "writing" })],
      ["T-b", task(2, "PENDING", ["T-a"], { epic: "folders", superseded_by: ["T-c"] })],
      ["T-a", task(1, "SHIPPED", [], { module_refs: ["MM-a@1.0.0"] })],
    ]),
  );
  expect(tree.map(({ pillar, epics }) => [pillar, epics.map(({ epic }) => epic)])).toEqual([
    ["reading", ["files", "folders"]],
    ["writing", ["files"]],
  ]);
  expect(lines(new Map([["T-b", task(2, "PENDING", ["T-a"])]]))).toMatchObject([{ waits_for: [{ task: "T-a", status: "PENDING" }] }]);
});

test("a blocked task names the tasks that block it, also at the end of a chain of thousands", () => {
  const tasks = new Map<string, Task>([
    ["T-0", task(0, "HALTED", [], { escalation_ref: "ESC-1" })],
    ["T-x", task(1, "ABANDONED")],
  ]);
  const count = 20_000;
  for (let n = 1; n < count; n++) tasks.set(`T-${n}`, task(n + 1, "BLOCKED", n === 5 ? ["T-4", "T-x"] : [`T-${n - 1}`]));
  const all = lines(tasks);
  expect(all.find(({ task_id }) => task_id === "T-1")).toMatchObject({ waits_for: [{ task: "T-0", status: "HALTED" }] });
  const last = all.find(({ task_id }) => task_id === `T-${count - 1}`)!;
  expect(last.blocked_by).toEqual([
    { task: "T-0", status: "HALTED", escalation_ref: "ESC-1" },
    { task: "T-x", status: "ABANDONED", escalation_ref: null },
  ]);
  // In another order, the result is the same.
  expect(lines(new Map([...tasks].toReversed())).find(({ task_id }) => task_id === last.task_id)).toEqual(last);
});
