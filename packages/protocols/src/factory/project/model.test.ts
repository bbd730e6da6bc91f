import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { initialiseProject } from "./initialise.ts";
import { openProject, projectStatus, type Project } from "./project.ts";
import type { TaskDetails } from "./task-details.ts";
import { planSplit, type NewTask } from "./split.ts";
import { stateMachineSchema, type TaskStatus } from "./state.ts";
import { graphArbitrary } from "./testing/graphs.ts";
import { expected, Model, type Tasks } from "./testing/model.ts";
import { MOVES, seed, wishOf, type Move } from "./testing/moves.ts";
import { testRoom, type TestProject } from "./testing/room.ts";
import { specOf } from "./testing/specs.ts";

/** Number of histories; `npm run campaign:model` runs more, from a given seed. */
const RUNS = Number(process.env["SLIPWAY_MODEL_RUNS"] ?? 25);
const SEED = process.env["SLIPWAY_MODEL_SEED"];

interface Real {
  readonly projectStore: TestProject;
  project: Project;
  last: (() => Promise<unknown>) | null;
}
type Command = fc.AsyncCommand<Model, Real>;

/** Compares the database with the model and with the definition of the rule. */
async function assertSame({ projectStore, project }: Real, model: Model): Promise<void> {
  const rows = Object.fromEntries(await projectStore.projects.entries(project.id));
  expect(rows).toEqual(model.tasks);
  for (const id of Object.keys(rows)) expect(`${id} ${rows[id]!.status}`).toBe(`${id} ${expected(rows, id)}`);
  const { summary } = (await projectStatus(projectStore))!;
  for (const [status, count] of Object.entries(summary.counts)) expect(count).toBe(model.with(status as TaskStatus).length);
  expect(summary.next).toBe(model.next());
}

const SKETCH = { inputs: "a text", outputs: "a number", error_surfaces: "none", effects: "none", modes: "sync" };
const part = (name: string, depends_on: string[]): NewTask => ({
  name,
  description: "A part.",
  acceptance_criteria: ["returns a number"],
  depends_on,
  subtasks: ["write it"],
  io_contract_sketch: SKETCH,
});

async function carryOut(move: Move, at: number, other: number, model: Model, real: Real): Promise<void> {
  const { projectStore, project } = real;
  const halted = model.with("HALTED");
  const sheet = halted.length === 0 ? null : await project.sheet(halted[at % halted.length]!);
  let sheets: Readonly<Record<string, TaskDetails>> = {};
  const wish = wishOf(move, at, other, model, (task_id, { tasks }) => {
    const planned = planSplit({ task_id, entry: tasks[task_id]!, sheet: sheet! }, tasks, [
      part("first part", []),
      part("second part", ["first part"]),
    ]);
    sheets = planned.sheets;
    return planned.change.into;
  });
  if (wish === null) return;
  const call = projectStore.call();
  const apply = () => project.apply(call, wish.change, sheets);
  if ("refused" in wish) return void (await expect(apply()).rejects.toMatchObject({ code: "invalid_status_transition" }));
  await apply();
  wish.effect(model);
  real.last = apply;
}

const moves = MOVES.map((move) =>
  fc.tuple(seed, seed).map(([at, other]): Command => ({
    check: (model) => model.with(move.from).length > 0,
    async run(model, real) {
      await carryOut(move, at, other, model, real);
      await assertSame(real, model);
    },
    toString: () => `${move.name}(${at}, ${other})`,
  })),
);

const always = (name: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  async run(model, real) {
    await run(model, real);
    await assertSame(real, model);
  },
  toString: () => name,
});

/** Opens it as a new process would; the earlier process stays behind, and makes the next change. */
const others = [
  fc.constant(always("reopen", async (_model, real) => void (real.project = (await openProject(real.projectStore))!))),
  fc.constant(always("repeatTheLast", async (_model, real) => void (await real.last?.()))),
  fc.constant(
    always("elsewhere", async (model, real) => {
      const task = model.next();
      if (task === null) return;
      await (await openProject(real.projectStore))!.apply(real.projectStore.call(), { kind: "dispatch", task });
      model.set(task, { status: "IN_PROGRESS" });
    }),
  ),
];

/** The spec whose tasks have these dependencies, in their order. */
function specLike(tasks: Tasks) {
  const inOrder = Object.entries(tasks).toSorted(([, left], [, right]) => left.declaration_order - right.declaration_order);
  const place = new Map(inOrder.map(([id], index) => [id, index]));
  const dependsOn = (task: number) => inOrder[task]![1].depends_on.map((id) => place.get(id)!);
  return specOf({ pillars: 1, epics: 1, stories: 1, tasks: inOrder.length, dependsOn });
}

test(
  "[FAC-070] after any halts, resolutions, ships, splits and abandonments by any process, rows and file follow the rule",
  async () => {
    const projectStore = await testRoom();
    let number = 0;
    await fc.assert(
      fc.asyncProperty(graphArbitrary(8), fc.commands([...moves, ...others], { maxCommands: 40, size: "max" }), async (tasks, history) => {
        const project = await initialiseProject(projectStore, projectStore.call(), `p${++number}`, specLike(tasks));
        const model = new Model(project.machine().tasks);
        const real: Real = { projectStore, project, last: null };
        await fc.asyncModelRun(() => ({ model, real }), history);
        await real.project.flush();
        const file: unknown = JSON.parse(readFileSync(join(projectStore.stateStore, "project/state_machine.json"), "utf8"));
        expect(stateMachineSchema.parse(file).tasks).toEqual(model.tasks);
      }),
      { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
    );
  },
  RUNS * 5000,
);
