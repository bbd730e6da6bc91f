import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CRITERIA } from "./criteria/criteria.ts";
import type { Deficiency } from "./deficiency.ts";
import { outlineOf } from "./outline.ts";
import { productSpecSchema } from "./spec.ts";
import { changed, sampleSpec, sampleTask, TASK } from "./testing/specs.ts";
import { judgeSpec, validateSpec } from "./validate.ts";

const EPIC = "/pillars/0/epics/0";
const STORY = `${EPIC}/stories/0`;
const SKETCH = `${TASK}/io_contract_sketch`;

const paths = (found: readonly Deficiency[]) => found.map(({ path }) => path);
const errorsOf = (draft: unknown) => paths(validateSpec(draft).errors);
/** The findings of one criterion, by its number. */
const found = (number: number, draft: unknown) => CRITERIA[number - 1]!.check(outlineOf(draft)).map(({ path }) => path);

test("a complete spec has neither errors nor warnings, and may be emitted", () => {
  expect(validateSpec(sampleSpec())).toEqual({ errors: [], warnings: [] });
  expect(judgeSpec(sampleSpec())).toEqual({ ok: true, spec: sampleSpec(), warnings: [] });
});

describe("the schema", () => {
  test.each([
    ["[FAC-011] spec_id", "/spec_id", ["SPEC-12", "spec-001", "SPEC-0a1b2c3d"], ["SPEC-001", "SPEC-1234"]],
    ["[FAC-011] spec_version", "/spec_version", ["1.0", "v1.0.0", "01.0.0", "1.0.0-beta"], ["0.1.0", "10.20.30"]],
    [
      "[FAC-011] created_at",
      "/created_at",
      ["yesterday", "2026-02-30", "2026-11-20T25:00:00Z", "20.11.2026"],
      ["2026-11-20T09:00:00.5+01:00"],
    ],
    ["[FAC-011] updated_at", "/updated_at", ["2026-11-20 09:00", "2026-11-20T09:00:00"], ["2026-11-20", "2026-11-20T09:00Z"]],
    ["[FAC-012] pillar_id", "/pillars/0/pillar_id", ["PIL-1", "EPC-001"], ["PIL-001", "PIL-0001"]],
    ["[FAC-013] epic_id", `${EPIC}/epic_id`, ["EPC-01", "PIL-001"], ["EPC-999"]],
    ["[FAC-014] story_id", `${STORY}/story_id`, ["STR-01", "STO-001"], ["STR-1000"]],
    ["[FAC-015] task_id", `${TASK}/task_id`, ["TSK-1", "T-001"], ["TSK-9999"]],
  ])("%s has its format", (_, pointer, wrong, right) => {
    const one = sampleSpec([sampleTask(1)]);
    for (const value of wrong) expect(errorsOf(changed(one, pointer, value)), value).toEqual([pointer]);
    for (const value of right) expect(errorsOf(changed(one, pointer, value)), value).toEqual([]);
  });

  test("[FAC-015] depends_on is the only optional field; its entries are ids of tasks", () => {
    const one = sampleSpec([sampleTask(1)]);
    expect(errorsOf(one)).toEqual([]);
    expect(errorsOf(changed(one, `${TASK}/depends_on`, []))).toEqual([]);
    expect(errorsOf(changed(one, `${TASK}/depends_on`, "TSK-001"))).toEqual([`${TASK}/depends_on`]);
    expect(productSpecSchema.safeParse(changed(sampleSpec(), "/pillars/0/epics/0/stories/0/tasks/1/depends_on/0", "T-1")).success).toBe(
      false,
    );
  });

  test("an unknown field and a value of another type are errors with their path", () => {
    const draft = changed(changed(sampleSpec(), "/pillars/0/color", "red"), `${TASK}/name`, 7);
    expect(validateSpec(draft).errors).toMatchObject([
      { path: `${TASK}/name`, field: "name", severity: "ERROR" },
      { path: "/pillars/0/color", field: "color", severity: "ERROR" },
    ]);
  });

  test.each([[null], ["a spec"], [[]], [{}], [{ pillars: "many" }], [{ pillars: [null, 3, { epics: [[]] }] }]])(
    "%j is no spec, and every rule reports that without an exception",
    (draft) => expect(errorsOf(draft).length).toBeGreaterThan(0),
  );

  test("for any draft, no errors means that the schema accepts it, and each error has another path", () => {
    const anything = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: "small" }, fc.string(), fc.integer(), fc.constant(null), fc.array(tie("value")), tie("object")),
      object: fc.dictionary(fc.constantFrom("pillars", "epics", "stories", "tasks", "task_id", "subtasks", "depends_on"), tie("value")),
    })).value;
    const place = fc.constantFrom("/pillars", "/pillars/0", "/title", EPIC, STORY, TASK, SKETCH, `${TASK}/subtasks`, `${TASK}/depends_on`);
    fc.assert(
      fc.property(place, anything, (pointer, value) => {
        const draft = changed(sampleSpec(), pointer, value);
        const errors = errorsOf(draft);
        expect(errors.length === 0).toBe(
          productSpecSchema.safeParse(draft).success &&
            CRITERIA.every(({ severity, check }) => severity === "WARNING" || check(outlineOf(draft)).length === 0),
        );
        expect(new Set(errors).size).toBe(errors.length);
      }),
    );
  });
});

describe("missing parts", () => {
  const required: Record<string, readonly string[]> = {
    "[FAC-011] a spec": ["spec_id", "spec_version", "title", "description", "created_at", "updated_at", "pillars"].map(
      (name) => `/${name}`,
    ),
    "[FAC-012] a pillar": ["pillar_id", "name", "description", "rationale", "epics"].map((name) => `/pillars/0/${name}`),
    "[FAC-013] an epic": ["epic_id", "name", "description", "success_criteria", "stories"].map((name) => `${EPIC}/${name}`),
    "[FAC-014] a story": ["story_id", "name", "description", "user_facing_behavior", "tasks"].map((name) => `${STORY}/${name}`),
    "[FAC-015] a task": ["task_id", "name", "description", "subtasks", "acceptance_criteria"].map((name) => `${TASK}/${name}`),
  };
  const one = sampleSpec([sampleTask(1)]);

  test.each(Object.entries(required))("[FAC-027] %s needs each of its fields, with content", (_, pointers) => {
    for (const pointer of pointers) {
      expect(found(10, changed(one, pointer, undefined)), pointer).toEqual([pointer]);
      expect(errorsOf(changed(one, pointer, undefined)), pointer).toEqual([pointer]);
      expect(errorsOf(changed(one, pointer, null)), pointer).toEqual([pointer]);
      expect(errorsOf(changed(one, pointer, " \n")), pointer).toEqual([pointer]);
      expect(errorsOf(changed(one, pointer, [])), pointer).toEqual([pointer]);
    }
  });

  test("[FAC-027] an empty entry of a list is an error too", () => {
    expect(errorsOf(changed(one, `${TASK}/subtasks`, ["Split it", "Check it", ""]))).toEqual([`${TASK}/subtasks/2`]);
  });

  test.each([
    ["[FAC-018] 1: a pillar without an epic", 1, "/pillars/0/epics"],
    ["[FAC-019] 2: an epic without a story", 2, `${EPIC}/stories`],
    ["[FAC-019] 2: an epic without a success criterion", 2, `${EPIC}/success_criteria`],
    ["[FAC-020] 3: a story without a task", 3, `${STORY}/tasks`],
    ["[FAC-021] 4: a task without subtasks", 4, `${TASK}/subtasks`],
    ["[FAC-022] 5: a task without acceptance criteria", 5, `${TASK}/acceptance_criteria`],
  ])("%s is an error", (_, number, pointer) => {
    const draft = changed(one, pointer, []);
    expect(found(number, draft)).toEqual([pointer]);
    expect(found(number, one)).toEqual([]);
    expect(judgeSpec(draft).ok).toBe(false);
  });

  test.each([
    ["[FAC-021] [FAC-015] one subtask", "subtasks"],
    ["[FAC-022] [FAC-015] one acceptance criterion", "acceptance_criteria"],
  ])("%s is one too few", (_, name) => {
    expect(errorsOf(changed(one, `${TASK}/${name}`, ["returns the sum"]))).toEqual([`${TASK}/${name}`]);
    expect(errorsOf(changed(one, `${TASK}/${name}`, ["returns the sum", "rejects a word"]))).toEqual([]);
  });
});

describe("[FAC-016] [FAC-023] 6: the contract sketch", () => {
  const one = sampleSpec([sampleTask(1)]);
  const FIELDS = ["inputs", "outputs", "error_surfaces", "effects", "modes"];

  test.each(FIELDS)("%s must exist and have content", (name) => {
    for (const value of [
      undefined,
      "",
      "  ",
      "TBD",
      "todo",
      "N/A",
      "n/a.",
      "Not applicable",
      "-",
      "…",
      "TODO: decide",
      "Inputs: TBD later",
      "(N/A)",
      "none",
    ])
      expect(errorsOf(changed(one, `${SKETCH}/${name}`, value)), String(value)).toEqual([`${SKETCH}/${name}`]);
  });

  test.each(FIELDS)("%s may say that nothing happens, and may mention to-do lists", (name) => {
    for (const value of [
      "pure function, writes nothing",
      "the TODO's title, 1 to 80 characters",
      'returns "N/A" where no name is known',
      "the user, or null",
      "nothing: it only reads",
    ])
      expect(errorsOf(changed(one, `${SKETCH}/${name}`, value)), value).toEqual([]);
  });

  test("without a sketch each of the five is missing", () => {
    expect(errorsOf(changed(one, SKETCH, undefined))).toEqual(FIELDS.map((name) => `${SKETCH}/${name}`));
  });
});
