import type { AuthoredAnswer } from "../demo-author.ts";
import { LIBRARY_ITEMS, sayFor, testsIn } from "../demo-crew/answers.ts";
import { acceptance, fullSpec, sections, tasksWith } from "../demo-crew/documents.ts";
import { UNITS, UNITS_TEST } from "./sources.ts";

const CHECK = testsIn("test/units.test.js");
const CRITERIA = { "AC-001": "1.5 kg are 1500 g, and 2 l are 2000 ml." };
const TASKS = {
  project: { name: "recipe-book", definition_of_done: ["the tests pass"] },
  tasks: [
    {
      id: "T-001",
      status: "not-started",
      type: "feat",
      title: "Small units",
      depends_on: [],
      goal: "smallUnit() converts kg and l.",
      non_goals: [],
      context_files: [],
      files_expected: ["src/units.js", "test/units.test.js"],
      acceptance_checks: [`cmd: ${CHECK}`],
      risk_flags: ["none"],
      done_when: ["its check passes"],
    },
  ],
};
const ARCHITECTURE = sections("Architecture", {
  Overview: "One function beside scale().",
  Modules: "- `src/units.js`: the small units",
  "Data Flow": "An ingredient goes in, an ingredient comes out.",
  Interfaces: "`smallUnit(ingredient)`",
  "Directory Layout": "`src` and `test`",
  "Error Handling": "Other units stay as they are.",
  Configuration: "None.",
  Security: "Nothing from outside is run.",
  "Testing Strategy": "node --test",
});
const REPORT = sections("Report", {
  "What was done": "`smallUnit()` converts kg and l.",
  "How to run": "Call it with an ingredient.",
  "How to test": "`npm test`",
  "Known issues": "None.",
});

/** The protocol crew in full mode: one task, reviewed once at the end. The README stays as it is. */
export function unitScenes(): AuthoredAnswer[] {
  const say = sayFor("c_units");
  return [
    say.begins("full", "Amounts in small units.", {
      "spec.md": fullSpec({
        title: "Units",
        problem: "Amounts in kg and l are hard to add to those in g and ml.",
        goal: "Amounts are given in small units.",
        nonGoal: "Other units.",
        stories: ["As a cook I read grams.", "As a buyer I add amounts.", "As a writer I keep my units."],
        functional: ["smallUnit(ingredient) converts kg to g and l to ml."],
        edgeCases: ["another unit stays", "an amount of 0"],
        criteria: CRITERIA,
      }),
      "acceptance.json": acceptance(CRITERIA, { "AC-001": CHECK }),
    }),
    say.designs("One pure function.", ARCHITECTURE, "none: one file"),
    say.plans("One task.", tasksWith(TASKS)),
    say.builds(
      "Kilograms and litres are converted.",
      { "src/units.js": UNITS, "test/units.test.js": UNITS_TEST },
      { tasks: tasksWith(TASKS, "implemented"), command: CHECK },
    ),
    say.reviews(LIBRARY_ITEMS),
    say.tests([{ line: CHECK, passed: 2 }], { "AC-001": "test/units.test.js" }),
    say.secures(),
    say.integrates(),
    say.reports(REPORT),
    say.integrates(),
  ];
}
