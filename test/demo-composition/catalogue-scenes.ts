import type { AuthoredAnswer } from "../demo-author.ts";
import { CATALOGUE, CATALOGUE_TEST, diffOf, README, README_WITH_CATALOGUE } from "./sources.ts";

const subject = "a_catalogue";

const plan = {
  feature_id: subject,
  plan_version: 1,
  summary: "A catalogue lists recipes by name",
  allowed_areas: ["src", "test", "README.md"],
  forbidden_areas: [],
  base_ref: "main",
  files: { create: ["src/catalogue.js", "test/catalogue.test.js"], modify: ["README.md"], delete: [] },
  contracts: { openapi: "none", events: "none", db: "none" },
  acceptance_criteria: ["namesOf returns the names sorted"],
  gate_profile: "default",
};

const README_LINES = README.trimEnd().split("\n").length;
const hunk = (path: string, start_line: number, end_line: number) => ({ path, hunks: [{ start_line, end_line }], status: "passed" });

/** The protocol `features` itself: planned, built and tested. */
export function catalogueScenes(): AuthoredAnswer[] {
  const unified_diff = diffOf([
    { path: "README.md", before: README, after: README_WITH_CATALOGUE },
    { path: "src/catalogue.js", before: null, after: CATALOGUE },
    { path: "test/catalogue.test.js", before: null, after: CATALOGUE_TEST },
  ]);
  const updates = [
    hunk("README.md", README_LINES + 1, README_LINES + 2),
    hunk("src/catalogue.js", 1, 4),
    hunk("test/catalogue.test.js", 1, 7),
  ];
  return [
    { role: "planner", subject, attempt: "1", output: { type: "PLAN_SUBMISSION", plan } },
    { role: "builder", subject, attempt: "1", output: { type: "PATCH", summary: "The catalogue with its test", unified_diff } },
    { role: "qa", subject, attempt: "1", output: { type: "NOTE", text: "The test covers the order.", updates } },
  ];
}
