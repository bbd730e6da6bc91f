import type { RESEARCH_FOCUSES } from "./schemas/enums.ts";

export const REQUEST_FILE = "initial-request.md";
export const SPEC_FILE = "spec-output.yaml";
export const DESIGN_FILE = "design-output.yaml";
export const PLAN_FILE = "plan-output.yaml";
export const KNOWLEDGE_FILE = "knowledge-output.yaml";
export const DECISIONS_FILE = "decisions.yaml";
export const BUNDLE_FILE = "evidence-bundle.md";
export const APPROVALS_FILE = "approval_log.yaml";
export const LEDGER_SUMMARY_FILE = "verification-ledger.yaml";
export const LEDGER_DATABASE_FILE = "verification-ledger.db";

export type ResearchFocus = (typeof RESEARCH_FOCUSES)[number];

export const researchFile = (focus: string) => `research/${focus}.yaml`;
export const taskFile = (id: string) => `tasks/${id}.yaml`;
export const implementationFile = (id: string) => `implementation-reports/${id}.yaml`;
export const verificationFile = (id: string) => `verification-reports/${id}.yaml`;
/** A reviewer's whole answer; its findings file is made from it. */
export const typedReviewFile = (scope: string, focus: string) => `review-findings/${scope}-${focus}.yaml`;
export const verdictsFile = (scope: string) => `review-verdicts/${scope}.yaml`;

/** The Markdown companion of a typed output. */
export const COMPANIONS: Readonly<Record<string, string>> = {
  [SPEC_FILE]: "feature.md",
  [DESIGN_FILE]: "design.md",
  [PLAN_FILE]: "plan.md",
};

export function companionOf(path: string): string {
  return COMPANIONS[path] ?? path.replace(/\.yaml$/, ".md");
}
