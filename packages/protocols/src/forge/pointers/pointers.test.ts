import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EXAMPLE_ANSWERS, EXAMPLE_RECORD, EXAMPLE_TASK } from "../schemas/examples.ts";
import { parsePointer, POINTED_FILES } from "./pointer.ts";
import { resolvePointers, sectionsText, type Pointed } from "./resolve.ts";

const pointed: Pointed = {
  design: {
    summary: "A whole design.",
    decisions: [EXAMPLE_RECORD, { ...EXAMPLE_RECORD, id: "D-2", title: "Not for this task" }],
    components: [{ name: "user model", responsibility: "It refuses long names.", files: [] }],
  },
  spec: EXAMPLE_ANSWERS.spec.payload!,
};

function resolved(design_sections: string[], spec_requirements: string[]) {
  return resolvePointers({ id: "task-01", relevant_context: { design_sections, spec_requirements } }, pointed);
}

describe("pointers", () => {
  test("[FOR-060] a pointer has a file, a list of its payload and the key of one entry", () => {
    expect(parsePointer("design-output.yaml#payload.decisions[id='D-8']")).toEqual({
      ok: true,
      pointer: { file: "design-output.yaml", list: "decisions", key: "id", value: "D-8" },
    });
    expect(parsePointer("spec-output.yaml#payload.requirements[id='FR-4']")).toMatchObject({ ok: true, pointer: { value: "FR-4" } });
  });

  test.each([
    "",
    "D-8",
    "design-output.yaml",
    "design-output.yaml#decisions[id='D-8']",
    "plan-output.yaml#payload.tasks[id='task-01']",
    "design-output.yaml#payload.decisions[0]",
    "design-output.yaml#payload.decisions[id='D-8",
    "design-output.yaml#payload.decisions[id='D-8\"]",
    "design-output.yaml#payload.decisions[id='D-8'] ",
    "../design-output.yaml#payload.decisions[id='D-8']",
    "design-output.yaml#payload.decisions[constructor='D-8']",
  ])("[FOR-060] %j is refused", (text) => {
    expect(parsePointer(text)).toMatchObject({ ok: false, problem: expect.stringContaining("is no pointer") });
  });

  test("every pointer of the form comes back as its parts", () => {
    const word = fc.stringMatching(/^[a-z][a-z_]{0,20}$/);
    const value = fc.stringMatching(/^[A-Za-z0-9 -]{1,20}$/);
    fc.assert(
      fc.property(fc.constantFrom(...POINTED_FILES), word, value, (file, list, value) => {
        expect(parsePointer(`${file}#payload.${list}[id='${value}']`)).toEqual({ ok: true, pointer: { file, list, key: "id", value } });
      }),
    );
  });
});

describe("resolution", () => {
  test("[FOR-060] starts inside the payload and gives the entry itself", () => {
    expect(resolvePointers(EXAMPLE_TASK, pointed)).toEqual({
      ok: true,
      sections: [
        { pointer: "design-output.yaml#payload.decisions[id='D-1']", file: "design-output.yaml", value: EXAMPLE_RECORD },
        { pointer: "spec-output.yaml#payload.requirements[id='FR-1']", file: "spec-output.yaml", value: pointed.spec.requirements[0] },
      ],
    });
  });

  test("[FOR-060] names every pointer that leads nowhere, with its field", () => {
    const result = resolved(
      ["design-output.yaml#payload.decisions[id='D-9']", "design-output.yaml#payload.constructor[id='D-1']", "nothing"],
      ["spec-output.yaml#payload.requirements[id='FR-8']", "design-output.yaml#payload.decisions[id='D-1']"],
    );
    expect(result.ok ? [] : result.errors).toEqual([
      expect.stringMatching(/^tasks\/task-01\.yaml, relevant_context\/design_sections\/0: .*D-9.*no entry with id "D-9"$/),
      expect.stringMatching(/design_sections\/1: .*has no list constructor$/),
      expect.stringMatching(/design_sections\/2: "nothing" is no pointer/),
      expect.stringMatching(/spec_requirements\/0: .*no entry with id "FR-8"$/),
      expect.stringMatching(/spec_requirements\/1: .*leads into design-output\.yaml, not into spec-output\.yaml$/),
    ]);
  });

  test("a component is found by its name, and the same pointer twice gives one section", () => {
    const pointer = "design-output.yaml#payload.components[name='user model']";
    const result = resolved([pointer, pointer], []);
    expect(result).toMatchObject({ ok: true, sections: [{ value: { responsibility: "It refuses long names." } }] });
    expect(result.ok && result.sections).toHaveLength(1);
  });

  test("[FOR-061] the text has the named sections and nothing else of the two files", () => {
    const result = resolvePointers(EXAMPLE_TASK, pointed);
    const text = result.ok ? sectionsText(result.sections) : "";
    expect(text).toContain("# design-output.yaml#payload.decisions[id='D-1']\nid: D-1\n");
    expect(text).toContain(pointed.spec.requirements[0]!.text);
    for (const other of ["D-2", "Not for this task", "A whole design.", "AC-1"]) expect(text).not.toContain(other);
  });
});
