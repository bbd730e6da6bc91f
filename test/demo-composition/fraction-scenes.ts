import type { AuthoredAnswer } from "../demo-author.ts";
import { say } from "../demo-forge/answers.ts";
import { FRACTION, FRACTION_TEST } from "../demo-forge/sources.ts";
import { README_WITH_FRACTIONS } from "./sources.ts";

const FOCUSES = ["security", "architecture", "correctness"] as const;

/** The protocol forge: one task, whose plan waits for the catalogue because both change the README. */
export function fractionScenes(): AuthoredAnswer[] {
  const { research, spec, design, plan, implement, verify, review, learn } = say("b_fractions");
  return [
    ...research({
      architecture: "One function per file below src.",
      impact: "One new module and a line in the README.",
      dependencies: "No packages.",
      patterns: "Plain functions, RangeError for bad arguments.",
    }),
    spec({
      summary: "Amounts print as fractions.",
      requirements: [{ id: "FR-1", text: "fraction(amount) returns a text such as 1 1/2." }],
      acceptance_criteria: [{ id: "AC-1", text: "fraction(1.5) is '1 1/2'.", requirement: "FR-1" }],
    }),
    design(1, {
      summary: "A table of common fractions.",
      components: [{ name: "fraction", responsibility: "Amount to text.", files: ["src/fraction.js"] }],
      decisions: [
        {
          id: "D-1",
          title: "How amounts become fractions",
          context: "Both ways are possible.",
          alternatives: [
            { id: "alt-1", label: "A table", description: "Common fractions only.", pros: ["short"], cons: ["not every fraction"] },
            { id: "alt-2", label: "Continued fractions", description: "Every fraction.", pros: ["complete"], cons: ["long"] },
          ],
          selected: "alt-1",
          rationale: "Recipes use few fractions.",
          confidence: "High",
          risk_classification: "🟢",
        },
      ],
    }),
    ...FOCUSES.map((focus) => review("design", focus, 1, "approve")),
    plan("plan", "🟢", {
      summary: "One task.",
      waves: [["task-01"]],
      tasks: [
        {
          id: "task-01",
          title: "Fractions",
          size: "Standard",
          task_type: "code",
          depends_on: [],
          acceptance_criteria: ["AC-1"],
          relevant_context: {
            design_sections: ["design-output.yaml#payload.decisions[id='D-1']"],
            spec_requirements: ["spec-output.yaml#payload.requirements[id='FR-1']"],
            files_to_modify: [
              { path: "src/fraction.js", risk: "🟢", operation: "create" },
              { path: "test/fraction.test.js", risk: "🟢", operation: "create" },
              { path: "README.md", risk: "🟢", operation: "modify" },
            ],
          },
        },
      ],
    }),
    implement("task-01-w1-i1", "fraction() prints common fractions.", {
      "src/fraction.js": FRACTION,
      "test/fraction.test.js": FRACTION_TEST,
      "README.md": README_WITH_FRACTIONS,
    }),
    verify("task-01-w1-i1", { passed: 5, failed: 0 }, [{ id: "AC-1", met: true, evidence: "test/fraction.test.js" }]),
    ...FOCUSES.map((focus) => review("code", focus, 1, "approve")),
    learn({ summary: "Fractions are in.", knowledge_updates: [{ topic: "tests", text: "Tests run with node --test." }], decisions: [] }),
  ];
}
