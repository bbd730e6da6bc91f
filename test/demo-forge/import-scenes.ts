import type { AuthoredAnswer } from "../demo-author.ts";
import { say } from "./answers.ts";

/** The second run: its design is unsafe, and one reviewer's blocker ends the run. */
export function importScenes(): AuthoredAnswer[] {
  const { research, spec, design, review } = say("import-recipe-web-page");
  return [
    ...research({
      architecture: "Recipes are plain objects; nothing reads from the network yet.",
      impact: "A new module; no present function changes.",
      dependencies: "Node's own fetch is enough.",
      patterns: "Functions validate their arguments and throw RangeError.",
    }),
    spec({
      summary: "A recipe is read from the address of a web page.",
      requirements: [{ id: "FR-1", text: "importRecipe(address) fetches the page and returns its recipe." }],
      acceptance_criteria: [{ id: "AC-1", text: "A page with a recipe becomes a recipe.", requirement: "FR-1" }],
    }),
    design(1, {
      summary: "importRecipe fetches the address and evaluates the script in the page that holds the recipe.",
      components: [{ name: "importRecipe", responsibility: "Fetch a page and read its recipe.", files: ["src/import.js"] }],
      decisions: [
        {
          id: "D-1",
          title: "How the recipe in the page is read",
          context: "The recipe is in a script element.",
          alternatives: [
            {
              id: "alt-1",
              label: "Evaluate the script",
              description: "Run it and take the result.",
              pros: ["short"],
              cons: ["runs foreign code"],
            },
            {
              id: "alt-2",
              label: "Parse JSON-LD",
              description: "Read the linked data of the page.",
              pros: ["runs nothing"],
              cons: ["more code"],
            },
          ],
          selected: "alt-1",
          rationale: "It is the shortest.",
          confidence: "Low",
          risk_classification: "🔴",
        },
      ],
    }),
    review("design", "security", 1, "blocker", {
      risk: "🔴",
      findings: [
        {
          title: "The page's script runs with the rights of the program",
          severity: "Blocker",
          category: "security",
          description: "Whoever controls the page controls the program that imports it.",
          affected_artifacts: ["design-output.yaml"],
          recommendation: "Select alt-2: parse linked data, never evaluate it.",
          evidence: "D-1 selects alt-1, which evaluates foreign code.",
        },
      ],
    }),
    review("design", "architecture", 1, "approve"),
    review("design", "correctness", 1, "approve"),
  ];
}
