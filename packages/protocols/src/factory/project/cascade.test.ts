import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openBoard, type Board } from "./board.ts";
import { blockedProblems } from "./cascade.ts";
import type { TaskStatus } from "./state.ts";
import { decide } from "./status.ts";
import { graphArbitrary, taskId, tasksOf } from "./testing/graphs.ts";
import { closure, expected, Model, type Tasks } from "./testing/model.ts";
import { AT, MOVES, seed, wishOf, type Splitting } from "./testing/moves.ts";

/** Number of histories of the model; a campaign runs more. */
const RUNS = Number(process.env["SLIPWAY_MODEL_RUNS"] ?? 150);

function assertRule(tasks: Tasks): void {
  for (const id of Object.keys(tasks)) expect(`${id} ${tasks[id]!.status}`).toBe(`${id} ${expected(tasks, id)}`);
}

/** Some tasks shipped in order, the next one halted. */
function haltedAfter(tasks: Tasks, shipped: number): { board: Board; halted: string } | null {
  const board = openBoard(tasks, { verify: false });
  for (let count = 0; ; count++) {
    const task = board.next();
    if (task === null) return null;
    board.apply({ kind: "dispatch", task });
    if (count === shipped) {
      board.apply({ kind: "halt", task, reason: "r", escalation_ref: "ESC-1" });
      return { board, halted: task };
    }
    board.apply({ kind: "ship", task, module_refs: ["MM-a@1.0.0"], at: AT });
  }
}

test("[FAC-068] a halt blocks every direct and indirect PENDING dependant, and changes nothing else", () => {
  fc.assert(
    fc.property(graphArbitrary(40), fc.nat({ max: 15 }), (tasks, shipped) => {
      const done = haltedAfter(tasks, shipped);
      fc.pre(done !== null);
      const { board, halted } = done!;
      for (const [id, { status }] of Object.entries(board.tasks())) {
        if (closure(tasks, id).has(halted)) expect(status).toBe("BLOCKED");
        else expect(status).not.toBe("BLOCKED");
      }
      assertRule(board.tasks());
    }),
  );
});

test("[FAC-069] a resolution unblocks exactly the tasks without a HALTED or ABANDONED dependency", () => {
  fc.assert(
    fc.property(graphArbitrary(40), fc.nat({ max: 15 }), fc.boolean(), (tasks, shipped, attested) => {
      const done = haltedAfter(tasks, shipped);
      fc.pre(done !== null);
      const { board, halted } = done!;
      if (attested) board.apply({ kind: "attest", task: halted, rationale: "r", escalation_ref: "ESC-1", module_refs: [], at: AT });
      else board.apply({ kind: "requeue", task: halted, by: "AMEND_SPEC" });
      expect(Object.values(board.tasks()).filter(({ status }) => status === "BLOCKED")).toEqual([]);
      assertRule(board.tasks());
    }),
  );
});

test("[FAC-069] a grandchild of a HALTED task is not unblocked by another's resolution", () => {
  // 4 depends on 2 and 3, which depend on 0 and 1; 0 is abandoned, 1 is resolved.
  const tasks = tasksOf([[], [], [0], [1], [2, 3]]);
  const board = openBoard(tasks);
  board.apply({ kind: "dispatch", task: taskId(0) });
  board.apply({ kind: "halt", task: taskId(0), reason: "r", escalation_ref: "ESC-1" });
  board.apply({ kind: "abandon", task: taskId(0), by: "ABANDON_TASK", rationale: "r" });
  board.apply({ kind: "dispatch", task: taskId(1) });
  board.apply({ kind: "halt", task: taskId(1), reason: "r", escalation_ref: "ESC-2" });
  board.apply({ kind: "requeue", task: taskId(1), by: "AMEND_SPEC" });
  expect(Object.values(board.tasks()).map(({ status }) => status)).toEqual(["ABANDONED", "PENDING", "BLOCKED", "PENDING", "BLOCKED"]);
});

test("[FAC-070] a state that violates the rule is found when it is opened, and named", () => {
  const tasks = tasksOf([[], [0]]);
  const broken = { ...tasks, [taskId(0)]: { ...tasks[taskId(0)]!, status: "HALTED" as const } };
  expect(blockedProblems(broken)).toEqual([`${taskId(1)} is PENDING and should be BLOCKED`]);
  expect(() => openBoard(broken)).toThrow(/breaks the BLOCKED rule: T-p-e-s-001 is PENDING/);
  const freed = { ...tasks, [taskId(1)]: { ...tasks[taskId(1)]!, status: "BLOCKED" as const } };
  expect(() => openBoard(freed, { verify: true })).toThrow(/should be PENDING/);
  openBoard(freed, { verify: false });
});

/** Two tasks instead of one, the second after the first. */
const inTwo: Splitting = (task, model) => {
  const order = Math.max(...Object.values(model.tasks).map(({ declaration_order }) => declaration_order)) + 1;
  const fresh = { ...model.tasks[task]!, halted_reason: null, escalation_ref: null, status: "PENDING" as const, declaration_order: order };
  const [first, second] = [taskId(order), taskId(order + 1)];
  return [
    { task_id: first, entry: fresh },
    { task_id: second, entry: { ...fresh, depends_on: [first], declaration_order: order + 1 } },
  ];
};

const commands = MOVES.map((move) =>
  fc.tuple(seed, seed).map(([at, other]): fc.Command<Model, Board> => ({
    check: (model) => model.with(move.from).length > 0,
    run(model, board) {
      const wish = wishOf(move, at, other, model, inTwo);
      if (wish === null) return;
      if ("refused" in wish) expect(() => board.apply(wish.change)).toThrow();
      else {
        board.apply(wish.change);
        wish.effect(model);
      }
      expect(board.tasks()).toEqual(model.tasks);
      expect(board.next()).toBe(model.next());
      const { counts } = board.view();
      for (const [status, count] of Object.entries(counts)) expect(count).toBe(model.with(status as TaskStatus).length);
    },
    toString: () => `${move.name}(${at}, ${other})`,
  })),
);

describe("[FAC-070] in any order of halts and resolutions", () => {
  test("a waiting task is BLOCKED exactly if a dependency is HALTED or ABANDONED", () => {
    fc.assert(
      fc.property(graphArbitrary(15), fc.commands(commands, { maxCommands: 60, size: "max" }), (tasks, history) => {
        fc.modelRun(() => ({ model: new Model(tasks), real: openBoard(tasks) }), history);
      }),
      { numRuns: RUNS },
    );
  });

  test("and while answers come, the project ends", () => {
    fc.assert(
      fc.property(graphArbitrary(20), fc.infiniteStream(fc.nat({ max: 5 })), (tasks, answers) => {
        const board = openBoard(tasks);
        const answer = () => answers.next().value;
        for (let turn = 0; decide(board.view()).kind !== "complete"; turn++) {
          expect(turn).toBeLessThan(2000);
          const decision = decide(board.view());
          if (decision.kind === "start") board.apply({ kind: "dispatch", task: decision.task });
          else if (decision.kind === "continue") {
            const { task } = decision;
            if (answer() < 4) board.apply({ kind: "ship", task, module_refs: ["MM-a@1.0.0"], at: AT });
            else board.apply({ kind: "halt", task, reason: "r", escalation_ref: "ESC-1" });
          } else if (decision.kind === "halted") {
            const task = decision.tasks[0]!;
            if (answer() < 4) board.apply({ kind: "requeue", task, by: "AMEND_SPEC" });
            else board.apply({ kind: "abandon", task, by: "ABANDON_TASK", rationale: "r" });
          } else {
            const blocked = Object.entries(board.tasks()).find(([, { status }]) => status === "BLOCKED");
            board.apply({ kind: "abandon", task: blocked![0], by: "ABANDON_TASK", rationale: "r" });
          }
        }
        const left = new Set(Object.values(board.tasks()).map(({ status }) => status));
        expect([...left].filter((status) => status !== "SHIPPED" && status !== "ABANDONED")).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});
