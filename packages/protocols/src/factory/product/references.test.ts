import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SpecTask } from "./spec.ts";
import { changed, sampleSpec, sampleTask, TASK } from "./testing/specs.ts";
import { judgeSpec, validateSpec } from "./validate.ts";

const task = (index: number) => TASK.replace(/0$/, String(index));
const id = (number: number) => `TSK-${String(number).padStart(3, "0")}`;
const errors = (tasks: readonly SpecTask[]) => validateSpec(sampleSpec(tasks)).errors;
const graph = (...edges: readonly (readonly number[])[]) => edges.map((to, index) => sampleTask(index + 1, { depends_on: to.map(id) }));

describe("[FAC-024] 7: task ids", () => {
  test("are unique in the whole spec, across stories", () => {
    const spec = sampleSpec([sampleTask(1)]);
    const [pillar] = spec.pillars;
    const draft = { ...spec, pillars: [pillar, { ...structuredClone(pillar), pillar_id: "PIL-002" }] };
    expect(validateSpec(draft).errors).toEqual([
      {
        path: "/pillars/1/epics/0/stories/0/tasks/0/task_id",
        field: "task_id",
        severity: "ERROR",
        message: `TSK-001 is already the task_id of ${TASK}.`,
      },
    ]);
    expect(judgeSpec(draft).ok).toBe(false);
  });
});

describe("[FAC-025] 8: a dependency", () => {
  test("on a task that is not in the spec is an error with its path", () => {
    expect(errors(graph([], [1, 7, 9]))).toMatchObject([
      { path: `${task(1)}/depends_on/1`, field: "depends_on", message: "TSK-002 depends on TSK-007, and no task of the spec has that id." },
      { path: `${task(1)}/depends_on/2` },
    ]);
    expect(judgeSpec(sampleSpec(graph([7]))).ok).toBe(false);
  });
});

describe("[FAC-026] 9: a cycle", () => {
  test.each([
    ["of a task with itself", graph([1]), [`${task(0)}/depends_on/0`], "TSK-001 -> TSK-001"],
    ["of two", graph([2], [1]), [`${task(1)}/depends_on/0`], "TSK-001 -> TSK-002 -> TSK-001"],
    ["behind a chain", graph([], [1, 3], [4], [2]), [`${task(3)}/depends_on/0`], "TSK-002 -> TSK-003 -> TSK-004 -> TSK-002"],
  ])("%s is an error that shows it", (_, tasks, paths, shown) => {
    const found = errors(tasks);
    expect(found.map(({ path }) => path)).toEqual(paths);
    expect(found[0]?.message).toContain(shown);
    expect(judgeSpec(sampleSpec(tasks)).ok).toBe(false);
  });

  test("is not found where several depend on the same task", () => expect(errors(graph([], [1], [1], [2, 3, 1]))).toEqual([]));

  test("is found exactly if no order of the tasks satisfies every dependency", () => {
    const edges = fc.array(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 4 }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(edges, (all) => {
        expect(errors(graph(...all)).length === 0).toBe(hasOrder(all));
      }),
    );
  });

  test("of ten thousand tasks is reported in one short sentence", () => {
    const circle = Array.from({ length: 10_000 }, (_, index) => sampleTask(index + 1, { depends_on: [id(((index + 1) % 10_000) + 1)] }));
    const found = errors(circle);
    expect(found).toHaveLength(1);
    expect(found[0]?.message.length).toBeLessThan(250);
  });
});

/** Repeatedly removes tasks without an open dependency. */
function hasOrder(edges: readonly (readonly number[])[]): boolean {
  let left = edges.map((to, index) => ({ number: index + 1, to }));
  for (;;) {
    const numbers = new Set(left.map(({ number }) => number));
    const stuck = left.filter(({ to }) => to.some((number) => numbers.has(number)));
    if (stuck.length === left.length) return stuck.length === 0;
    left = stuck;
  }
}

test("a task without an id is neither a duplicate nor part of a cycle", () => {
  const draft = changed(changed(sampleSpec(graph([], [])), `${task(0)}/task_id`, undefined), `${task(1)}/task_id`, "");
  expect(validateSpec(draft).errors.map(({ path }) => path)).toEqual([`${task(0)}/task_id`, `${task(1)}/task_id`]);
});
