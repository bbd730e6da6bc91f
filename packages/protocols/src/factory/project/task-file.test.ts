import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planProject } from "./plan.ts";
import { amended, type TaskDetails } from "./task-details.ts";
import { sketchedDependency, taskFile } from "./task-file.ts";
import { specOf } from "./testing/specs.ts";

const plan = planProject(specOf({ pillars: 1, epics: 1, stories: 1, tasks: 2, dependsOn: (task) => (task === 1 ? [0] : []) }));
const [first, second] = plan.tasks.map(({ sheet }) => sheet) as [TaskDetails, TaskDetails];
const SECTIONS = [
  "## Context",
  "## Description",
  "## Subtasks",
  "## Acceptance Criteria",
  "## Micro Module Contract",
  "## Dependency Contracts",
  "## Error Cases",
];

/** The headings that a Markdown reader sees: not inside fences. */
function headings(text: string): string[] {
  let fence: string | null = null;
  return text.split("\n").filter((row) => {
    const ticks = /^ {0,3}(`{3,}|~{3,})/.exec(row.replace(/^ {2}/, ""))?.[1];
    if (fence === null && ticks !== undefined) fence = ticks;
    else if (fence !== null && ticks !== undefined && ticks.startsWith(fence)) fence = null;
    return fence === null && /^ {0,3}#{1,6}(\s|$)/.test(row);
  });
}

test("[FAC-057] [FAC-058] the file has exactly these sections, filled from the spec", () => {
  expect(taskFile(first, [])).toBe(`# Task: Task 0
## Task ID: T-pillar-0-epic-0-story-0-001

## Context
- **Pillar:** Pillar 0 — A strategic theme of the product.
- **Epic:** Epic 0 — A major capability of the product.
- **Story:** Story 0 — A story of the product.

## Description
Implements part number 0 of the whole.

## Subtasks
1. Write the function
2. Write its tests

## Acceptance Criteria
- Returns a number for every text
- Raises RangeError for a long text

## Micro Module Contract
- **Inputs:** a text of at most 100 characters
- **Outputs:** a number from 0 to 100
- **Error surfaces:** throws RangeError when the text is too long; throws TypeError when it is no text
- **Effects:** pure function, writes nothing
- **Modes:** sync, because nothing is waited for

## Dependency Contracts
None: this task depends on no other module.

## Error Cases
- throws RangeError when the text is too long
- throws TypeError when it is no text
`);
});

test("[FAC-057] no text of the spec starts or swallows a section", () => {
  const hostile = fc
    .array(fc.constantFrom("# A", "## Task ID: T-x-001", "```", "~~~js", "text", "---", "===", "<!--", "    ## code", "\u2028## B", ""), {
      maxLength: 6,
    })
    .map((rows) => rows.join("\n"));
  fc.assert(
    fc.property(hostile, hostile, (one, other) => {
      const parts = {
        name: `n ${one}`,
        description: `d\n${one}\n${other}`,
        subtasks: [`${one} x`],
        acceptance_criteria: [`${other} x`],
        error_cases: [`${one} x`],
      };
      const text = taskFile({ ...first, ...parts }, [{ ref: "MM-x@1.0.0", summary: one, examples: `${other}\n\`\`\`\`\n` }]);
      const found = headings(text);
      expect(found.slice(1).filter((row) => !row.startsWith("## Task ID: T-pillar"))).toEqual(SECTIONS);
      expect(found[0]).toMatch(/^# Task: n/);
      expect(taskFile({ ...first, ...parts }, [])).not.toMatch(/^ {0,3}(?:=+|-+)[ \t]*$/m);
      expect(text).not.toMatch(/^(?:- |\d+\. )(?:#|`{3}|~{3}|<)/m);
    }),
  );
});

describe("[FAC-059] the dependencies", () => {
  test("are sketched, by task, while nothing is shipped", () => {
    const { text = "" } = plan.files[1] ?? {};
    expect(text).toContain(`- ${first.task_id}: Task 0, not shipped yet; sketched as: inputs: a text of at most 100 characters`);
    expect(taskFile(second, [sketchedDependency(first)])).toBe(text);
  });

  test("are the modules' contracts and examples after they have shipped", () => {
    const text = taskFile(second, [{ ref: "MM-mail@1.0.0", summary: "sends a mail", examples: "# Send\n```ts\nsend()\n```\n" }]);
    expect(text).toContain("- MM-mail@1.0.0: sends a mail\n  ````markdown\n  # Send\n  ```ts\n  send()\n  ```\n  ````\n");
    expect(text).not.toContain("not shipped yet");
  });
});

test("criteria that a person has replaced stay in the file", () => {
  const changed = amended(first, ["Returns 0 for an empty text"], "It was not decidable.", "2026-01-02T03:04:05Z");
  const text = taskFile(changed, []);
  expect(text).toContain("## Acceptance Criteria\n- Returns 0 for an empty text\n\n");
  expect(text).toContain(
    "## Amendment History\n- 2026-01-02T03:04:05Z: It was not decidable. The criteria before:\n  - Returns a number for every text\n  - Raises",
  );
});
