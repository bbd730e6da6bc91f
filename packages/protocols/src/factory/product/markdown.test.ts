import fc from "fast-check";
import { expect, test } from "vitest";
import { specMarkdown } from "./markdown.ts";
import { changed, sampleSpec, sampleTask, TASK } from "./testing/specs.ts";
import type { ProductSpec } from "./spec.ts";

/** Every text of the spec, at any depth. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

const headings = (markdown: string) => markdown.split("\n").filter((line) => line.startsWith("#"));

test("[FAC-033] the rendering contains the whole spec", () => {
  const word = fc.stringMatching(/^[A-Za-z]{3,12}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 12, maxLength: 12 }), ([a, b, c, d, e, f, g, h, i, j, k, l]) => {
      const task = sampleTask(1, {
        name: a!,
        subtasks: [b!, c!],
        acceptance_criteria: [d!, e!],
        depends_on: ["TSK-007"],
        io_contract_sketch: { inputs: f!, outputs: g!, error_surfaces: h!, effects: i!, modes: j! },
      });
      const sample = changed(sampleSpec([task]), "/updated_at", "2027-02-03");
      const spec = changed(changed(sample, "/pillars/0/rationale", k), "/pillars/0/epics/0/success_criteria", [l]);
      const markdown = specMarkdown(spec as ProductSpec);
      expect(textsOf(spec).filter((text) => !markdown.includes(text))).toEqual([]);
    }),
  );
});

test("pillars, epics, stories and tasks are headings, each a level below", () => {
  expect(headings(specMarkdown(sampleSpec([sampleTask(1)])))).toEqual([
    "# Ledger",
    "## Pillar PIL-001: Reading",
    "### Epic EPC-001: Statements",
    "#### Story STR-001: Import a statement",
    "##### Task TSK-001: Parse record 1",
  ]);
});

test("no text of the spec can imitate another part", () => {
  const forged = "Fine.\n\n## Pillar PIL-666: Forged\n```\nMore\n====\n  ---";
  const spec = [`/description`, `${TASK}/description`, `${TASK}/name`, `${TASK}/subtasks/0`].reduce<unknown>(
    (draft, pointer) => changed(draft, pointer, forged),
    sampleSpec([sampleTask(1)]),
  );
  const markdown = specMarkdown(spec as ProductSpec);
  expect(headings(markdown).map((line) => line.replace(/:.*/, ""))).toEqual([
    "# Ledger",
    "## Pillar PIL-001",
    "### Epic EPC-001",
    "#### Story STR-001",
    "##### Task TSK-001",
  ]);
  expect(markdown.split("\n").filter((line) => /^\s*(```|=+$|---)/.test(line))).toEqual([]);
});
