import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dispatch, openBoard, type Board } from "./board.ts";
import { planSplit, type NewTask } from "./split.ts";
import { TASK_STATUSES, type Task } from "./state.ts";
import { decide } from "./status.ts";
import { graphArbitrary, taskId, tasksOf } from "./testing/graphs.ts";

const AT = "2026-01-02T03:04:05Z";
const refused = expect.objectContaining({ code: "invalid_status_transition" });
const halt = (task: string) => ({ kind: "halt" as const, task, reason: "no agreement", escalation_ref: "ESC-0a1b2c3d" });
const ship = (task: string) => ({ kind: "ship" as const, task, module_refs: ["MM-a@1.0.0", "MM-b@1.0.0"], at: AT });
const [a, b, c, d] = [0, 1, 2, 3].map(taskId) as [string, string, string, string];

function started(board: Board): string {
  const task = board.next() ?? "";
  board.apply({ kind: "dispatch", task });
  return task;
}

/** b depends on a, c on b, d on nothing. */
const chain = () => openBoard(tasksOf([[], [0], [1], []]));

function haltedChain(): Board {
  const board = chain();
  board.apply(halt(started(board)));
  return board;
}

const statuses = (board: Board) => Object.values(board.tasks()).map(({ status }) => status);

/** Any statuses: dispatch depends on the current state only, however it came about. */
const anyState = graphArbitrary(30).chain((tasks) =>
  fc
    .array(fc.constantFrom(...TASK_STATUSES, "SHIPPED" as const, "PENDING" as const), { minLength: 30, maxLength: 30 })
    .map((given) =>
      Object.fromEntries(Object.entries(tasks).map(([id, task], at): [string, Task] => [id, { ...task, status: given[at] ?? "PENDING" }])),
    ),
);

describe("dispatch", () => {
  test("[FAC-043] [FAC-045] is the first PENDING task in the spec's order whose dependencies are all SHIPPED, and none while one is HALTED", () => {
    fc.assert(
      fc.property(anyState, (tasks) => {
        const eligible = Object.entries(tasks)
          .filter(([, task]) => task.status === "PENDING" && task.depends_on.every((id) => tasks[id]?.status === "SHIPPED"))
          .toSorted(([, left], [, right]) => left.declaration_order - right.declaration_order);
        const stopped = Object.values(tasks).some(({ status }) => status === "HALTED" || status === "IN_PROGRESS");
        expect(openBoard(tasks, { verify: false }).next()).toBe(stopped ? null : (eligible[0]?.[0] ?? null));
      }),
    );
  });

  test("[FAC-044] depends on the contents of the state machine only", () => {
    fc.assert(
      fc.property(graphArbitrary(20), (tasks) => {
        const other = Object.fromEntries(Object.entries(structuredClone(tasks)).toReversed());
        expect(dispatch({ tasks: other })).toBe(dispatch({ tasks }));
      }),
    );
    expect(dispatch({ tasks: {} })).toBeNull();
  });

  test("[FAC-042] starts one task at a time, and only the selected one", () => {
    const board = chain();
    for (const task of [b, d]) expect(() => board.apply({ kind: "dispatch", task })).toThrow(refused);
    board.apply({ kind: "dispatch", task: a });
    expect(board.next()).toBeNull();
    expect(() => board.apply({ kind: "dispatch", task: d })).toThrow(/T-p-e-s-000 is in progress/);
    expect(statuses(board)).toEqual(["IN_PROGRESS", "PENDING", "PENDING", "PENDING"]);
  });

  test("[FAC-045] starts nothing while a task is HALTED", () => {
    const board = haltedChain();
    const before = statuses(board);
    expect(board.next()).toBeNull();
    for (const task of [a, b, c, d]) expect(() => board.apply({ kind: "dispatch", task })).toThrow(refused);
    expect(statuses(board)).toEqual(before);
  });

  test("ships a random graph completely, each task once and after its dependencies", () => {
    fc.assert(
      fc.property(graphArbitrary(25), (tasks) => {
        const board = openBoard(tasks);
        const order: string[] = [];
        while (decide(board.view()).kind === "start") {
          const task = started(board);
          expect(board.task(task).depends_on.every((id) => order.includes(id))).toBe(true);
          order.push(task);
          board.apply(ship(task));
        }
        expect(order.toSorted()).toEqual(Object.keys(tasks).toSorted());
        expect(decide(board.view())).toEqual({ kind: "complete" });
      }),
    );
  });
});

test("[FAC-063] a shipped task has all its modules, and the last of them as its own", () => {
  const board = chain();
  board.apply(ship(started(board)));
  expect(board.task(a)).toMatchObject({
    status: "SHIPPED",
    module_ref: "MM-b@1.0.0",
    module_refs: ["MM-a@1.0.0", "MM-b@1.0.0"],
    shipped_at: AT,
  });
});

test("a halt keeps its reason and escalation, which are removed when it is resolved", () => {
  const board = haltedChain();
  expect(board.task(a)).toMatchObject({ halted_reason: "no agreement", escalation_ref: "ESC-0a1b2c3d" });
  expect(decide(board.view())).toEqual({ kind: "halted", tasks: [a] });
  board.apply({ kind: "requeue", task: a, by: "AMEND_SPEC" });
  expect(board.task(a)).toMatchObject({ status: "PENDING", halted_reason: null, escalation_ref: null });
  expect(board.next()).toBe(a);
});

test.each(["APPROVE_OVERRIDE", "REVISE_PLAN", "PROVIDE_FIX"] as const)("after %s the task continues where it was", (by) => {
  const board = haltedChain();
  board.apply({ kind: "resume", task: a, by });
  expect(statuses(board)).toEqual(["IN_PROGRESS", "PENDING", "PENDING", "PENDING"]);
  expect(decide(board.view())).toEqual({ kind: "continue", task: a });
});

test("only a person's attestation ships a HALTED task, and no other", () => {
  const board = haltedChain();
  const attest = { kind: "attest" as const, rationale: "done by hand", escalation_ref: "ESC-0a1b2c3d", module_refs: [], at: AT };
  expect(() => board.apply(ship(a))).toThrow(refused);
  expect(() => board.apply({ ...attest, task: d })).toThrow(refused);
  expect(() => board.apply({ ...attest, task: a, escalation_ref: "ESC-ffffffff" })).toThrow(/ESC-0a1b2c3d/);
  board.apply({ ...attest, task: a });
  expect(board.task(a)).toMatchObject({ status: "SHIPPED", module_ref: null, escalation_ref: "ESC-0a1b2c3d" });
  expect(statuses(board)).toEqual(["SHIPPED", "PENDING", "PENDING", "PENDING"]);
});

describe("[FAC-065] an abandoned task", () => {
  test("stays abandoned, and keeps its dependants BLOCKED until a person decides about them too", () => {
    const board = haltedChain();
    expect(() => board.apply({ kind: "abandon", task: b, by: "ABANDON_TASK", rationale: "x" })).toThrow(/resolve that one first/);
    board.apply({ kind: "abandon", task: a, by: "ABANDON_TASK", rationale: "not needed" });
    expect(statuses(board)).toEqual(["ABANDONED", "BLOCKED", "BLOCKED", "PENDING"]);
    board.apply(ship(started(board)));
    expect(decide(board.view())).toEqual({ kind: "blocked" });
    board.apply({ kind: "abandon", task: c, by: "ABANDON_TASK", rationale: "not needed" });
    board.apply({ kind: "rewire", task: b, depends_on: [d] });
    expect(statuses(board)).toEqual(["ABANDONED", "PENDING", "ABANDONED", "SHIPPED"]);
    board.apply(ship(started(board)));
    expect(decide(board.view())).toEqual({ kind: "complete" });
    for (const by of ["AMEND_SPEC", "REJECT_CHANGE"] as const) {
      expect(() => board.apply({ kind: "requeue", task: a, by })).toThrow(refused);
      expect(() => board.apply({ kind: "requeue", task: b, by })).toThrow(refused);
    }
  });

  test.each([
    [a, "ABANDONED"],
    [c, "itself"],
    ["T-none-001", "no task"],
  ])("a dependency on %s is refused: %s", (dependency, why) => {
    const board = haltedChain();
    board.apply({ kind: "abandon", task: a, by: "ABANDON_TASK", rationale: "not needed" });
    expect(() => board.apply({ kind: "rewire", task: b, depends_on: [dependency] })).toThrow(why);
    expect(board.task(b).depends_on).toEqual([a]);
  });

  test("a running or finished task keeps its dependencies", () => {
    const board = chain();
    expect(() => board.apply({ kind: "rewire", task: started(board), depends_on: [d] })).toThrow(/it is IN_PROGRESS/);
    expect(() => board.apply({ kind: "dispatch", task: "T-none-001" })).toThrow(/There is no task/);
  });
});

describe("a split", () => {
  const wish = (name: string, depends_on: readonly string[] = []): NewTask => ({
    name,
    description: `Part: ${name}`,
    acceptance_criteria: ["Returns it"],
    depends_on: [...depends_on],
    subtasks: ["Do it"],
    io_contract_sketch: { inputs: "i", outputs: "o", error_surfaces: "throws Oops", effects: "none at all", modes: "sync" },
  });
  const sheet = {
    task_id: a,
    path: "project/p/e/s/t/x.md",
    name: "Whole",
    pillar: { name: "P", description: "p" },
    epic: { name: "E", description: "e" },
    story: { name: "S", description: "s" },
    description: "d",
    subtasks: ["s"],
    acceptance_criteria: ["c"],
    contract: wish("x").io_contract_sketch,
    error_cases: ["e"],
    depends_on: [],
    amendments: [],
  };
  const planned = (board: Board, wishes: readonly NewTask[]) =>
    planSplit({ task_id: a, entry: board.task(a), sheet }, board.tasks(), wishes, (id) =>
      id === d ? { ...sheet, name: "Fourth", task_id: d } : undefined,
    );

  test("[FAC-209] adds tasks after all others, with their own ids and files, and abandons the split one", () => {
    const board = haltedChain();
    const { change, files, sheets } = planned(board, [wish("T"), wish("Second half", ["T", d])]);
    board.apply(change);
    const [first, second] = ["T-p-e-s-004", "T-p-e-s-005"];
    expect(board.task(a)).toMatchObject({ status: "ABANDONED", superseded_by: [first, second] });
    expect(board.task(second)).toMatchObject({ status: "PENDING", declaration_order: 5, depends_on: [first, d], task: "second-half" });
    expect(files.map(({ path }) => path)).toEqual([`project/p/e/s/t-2/${first}.md`, `project/p/e/s/second-half/${second}.md`]);
    expect(files[1]?.text).toContain(`- ${first}: T, not shipped yet`);
    expect(files[1]?.text).toContain(`- ${d}: Fourth, not shipped yet`);
    expect(sheets[first]?.error_cases).toEqual(["throws Oops"]);
    expect(board.task(b).status).toBe("BLOCKED");
    expect(board.next()).toBe(d);
    expect(board.maxOrder()).toBe(5);
  });

  test.each([
    ["a circle", [wish("one", ["two"]), wish("two", ["one"])], /in a circle/],
    ["an unknown id", [wish("one", ["T-none-001"])], /no task of the project/],
    ["the split task itself", [wish("one", [a])], /ABANDONED/],
  ])("[FAC-209] with %s changes nothing", (_, wishes, why) => {
    const board = haltedChain();
    const before = board.tasks();
    expect(() => board.apply(planned(board, wishes).change)).toThrow(why);
    expect(board.tasks()).toEqual(before);
    expect(board.maxOrder()).toBe(3);
  });

  test("is refused for invalid names and excessive sizes before anything is created", () => {
    const board = haltedChain();
    expect(() => planned(board, [wish("日本")])).toThrow(/has no letter or digit/);
    expect(() =>
      planned(
        board,
        Array.from({ length: 999 }, (_, at) => wish(`n ${at}`)),
      ),
    ).toThrow(/more than 999 tasks/);
    const { change } = planned(board, [wish("one")]);
    const taken = { ...change, into: change.into.map((into) => ({ ...into, task_id: d })) };
    expect(() => board.apply(taken)).toThrow(/there is a task of that id/);
    expect(() => chain().apply(change)).toThrow(refused);
  });
});
