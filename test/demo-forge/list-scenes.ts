import type { AuthoredAnswer } from "../demo-author.ts";
import { say, type Finding } from "./answers.ts";
import { FRACTION, FRACTION_TEST, SHOPPING, SHOPPING_AGAIN, SHOPPING_TEST } from "./sources.ts";

const finding = (title: string, severity: string, description: string, recommendation: string): Finding => ({
  title,
  severity,
  category: "design",
  description,
  affected_artifacts: ["design-output.yaml"],
  recommendation,
  evidence: "The components of the design.",
});

const decision = (id: string, title: string, selected: string, labels: readonly [string, string]) => ({
  id,
  title,
  context: "Both ways are possible.",
  alternatives: labels.map((label, index) => ({ id: `alt-${index + 1}`, label, description: label, pros: ["clear"], cons: ["some code"] })),
  selected,
  rationale: "It keeps the functions small.",
  confidence: "High",
  risk_classification: "🟢",
});

const design = (summary: string, components: readonly object[]) => ({
  summary,
  components,
  decisions: [
    decision("D-1", "How amounts become fractions", "alt-1", ["A table of common fractions", "Continued fractions"]),
    decision("D-2", "How equal ingredients are found", "alt-2", ["By name", "By name and unit"]),
  ],
});

const FRACTION_PART = { name: "fraction", responsibility: "Amount to text.", files: ["src/fraction.js"] };
const SHOPPING_PART = { name: "shoppingList", responsibility: "Join equal ingredients.", files: ["src/shopping.js"] };

const task = (id: string, title: string, fr: string, ac: string, decisionId: string, files: readonly string[]) => ({
  id,
  title,
  size: "Standard",
  task_type: "code",
  depends_on: [],
  acceptance_criteria: [ac],
  relevant_context: {
    design_sections: [`design-output.yaml#payload.decisions[id='${decisionId}']`],
    spec_requirements: [`spec-output.yaml#payload.requirements[id='${fr}']`],
    files_to_modify: files.map((path) => ({ path, risk: "🟢", operation: "create" })),
  },
});

const TASK_1 = task("task-01", "Fractions", "FR-1", "AC-1", "D-1", ["src/fraction.js", "test/fraction.test.js"]);
const TASK_2 = task("task-02", "Shopping list", "FR-2", "AC-2", "D-2", ["src/shopping.js", "test/shopping.test.js"]);

/** The first run: one task lands, the other is planned again, fails again and is reverted. */
export function listScenes(): AuthoredAnswer[] {
  const { research, spec, design: designs, plan, implement, revert, verify, review, learn } = say("print-fractions-shopping-lists");
  const failed = [{ check_name: "tests-fast-test", phase: "after", passed: false, output_snippet: "1 test failed" }];
  return [
    ...research({
      architecture: "One function per file below src.",
      impact: "Two new modules; scale.js stays as it is.",
      dependencies: "No packages; tests run with node --test.",
      patterns: "Plain functions, RangeError for bad arguments.",
    }),
    spec({
      summary: "Amounts print as fractions, and a shopping list joins equal ingredients.",
      requirements: [
        { id: "FR-1", text: "fraction(amount) returns a text such as 1 1/2." },
        { id: "FR-2", text: "shoppingList(recipes) adds the amounts of equal ingredients." },
      ],
      acceptance_criteria: [
        { id: "AC-1", text: "fraction(1.5) is '1 1/2', and fraction(2) is '2'.", requirement: "FR-1" },
        { id: "AC-2", text: "Two recipes with 100 g and 200 g of flour need 300 g.", requirement: "FR-2" },
      ],
    }),
    designs(
      1,
      design("One module prints fractions and joins ingredients.", [
        { ...FRACTION_PART, responsibility: "Fractions and shopping lists.", files: ["src/kitchen.js"] },
      ]),
    ),
    review("design", "security", 1, "approve"),
    review("design", "architecture", 1, "needs_revision", {
      findings: [
        finding(
          "One module has two responsibilities",
          "Major",
          "Text and sums change for different reasons.",
          "Divide it into fraction.js and shopping.js.",
        ),
      ],
    }),
    review("design", "correctness", 1, "needs_revision", {
      findings: [finding("Units are not said", "Major", "100 g and 100 ml of milk would be added.", "Join by name and unit.")],
    }),
    designs(2, design("Two modules: fractions, and shopping lists that join by name and unit.", [FRACTION_PART, SHOPPING_PART])),
    ...(["security", "architecture", "correctness"] as const).map((focus) => review("design", focus, 2, "approve")),
    plan("plan", "🟢", { summary: "Two tasks side by side.", tasks: [TASK_1, TASK_2], waves: [["task-01", "task-02"]] }),
    implement("task-01-w1-i1", "fraction() prints common fractions.", {
      "src/fraction.js": FRACTION,
      "test/fraction.test.js": FRACTION_TEST,
    }),
    implement("task-02-w1-i1", "shoppingList() joins ingredients.", {
      "src/shopping.js": SHOPPING,
      "test/shopping.test.js": SHOPPING_TEST,
    }),
    verify("task-01-w1-i1", { passed: 3, failed: 0 }, [{ id: "AC-1", met: true, evidence: "test/fraction.test.js covers both values." }]),
    verify("task-02-w1-i1", { passed: 2, failed: 1 }, [{ id: "AC-2", met: false, evidence: "test/shopping.test.js fails." }], failed),
    plan("replan-w1-i1", "🟢", {
      summary: "task-02 joins by name and unit.",
      tasks: [TASK_1, { ...TASK_2, description: "Use one key of name and unit, and keep the first ingredient's order." }],
      waves: [["task-01", "task-02"]],
    }),
    implement("task-02-w1-i2", "shoppingList() joins by name and unit.", { "src/shopping.js": SHOPPING_AGAIN }),
    verify("task-02-w1-i2", { passed: 2, failed: 1 }, [{ id: "AC-2", met: false, evidence: "The amounts are joined as text." }], failed),
    revert("task-02-revert-w1-i2", "shoppingList() is given up: its sums were wrong twice."),
    plan("replan-w1-i2", "🟢", {
      summary: "Only fractions: the shopping list needs a specification of units first.",
      tasks: [TASK_1],
      waves: [["task-01"]],
    }),
    review("code", "security", 1, "approve"),
    review("code", "architecture", 1, "approve"),
    review("code", "correctness", 1, "approve", { cited: [{ task_id: "task-01", check_name: "end-to-end", passed: true }] }),
    review("code", "correctness", 1, "approve", {
      cited: [{ task_id: "task-01", check_name: "tests-fast-test", passed: true }],
      repair: 1,
    }),
    learn({
      summary: "Fractions are in; the shopping list was reverted after two failed verifications.",
      knowledge_updates: [{ topic: "tests", text: "Tests run with node --test and report to reports/junit.xml." }],
      memories: [{ topic: "units", text: "Ingredients are equal only if name and unit are equal." }],
      decisions: [],
    }),
  ];
}
