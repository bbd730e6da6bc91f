import { z } from "zod";
import type { DispatchedRole } from "../agents.ts";
import { nonEmpty, texts } from "./names.ts";

/** Omitted lists are empty. */
const list = texts.default([]);

const COMMON = {
  files_to_create_or_update: list,
  files_changed: list,
  tests_added_or_updated: list,
  commands_to_run: list,
  manual_steps: list,
  review_comments: list,
  findings: list,
  notes: list.describe("assumptions, trade-offs, links to files, and lines that the role's instructions ask for"),
};

export const REVIEW_SEVERITIES = ["nit", "minor", "major", "blocker"] as const;
export const REVIEW_CATEGORIES = ["Security", "Architecture", "Logic", "Performance", "Quality", "Devil's Advocate"] as const;
export type ReviewCategory = (typeof REVIEW_CATEGORIES)[number];

export const reviewCommentSchema = z.strictObject({
  severity: z.enum(REVIEW_SEVERITIES),
  category: z.enum(REVIEW_CATEGORIES),
  file: nonEmpty,
  line: z.int().min(1),
  message: nonEmpty,
  suggested_fix: nonEmpty,
});
export type ReviewComment = z.infer<typeof reviewCommentSchema>;

const groupResult = z.enum(["OK", "issues_found", "N/A"]);
export const checklistSummarySchema = z.strictObject({
  security: groupResult,
  architecture: groupResult,
  logic: groupResult,
  performance: groupResult,
  quality: groupResult,
  devils_advocate: groupResult,
});
export type ChecklistSummary = z.infer<typeof checklistSummarySchema>;
export type ChecklistGroup = keyof ChecklistSummary;

export const FINDING_SEVERITIES = ["low", "medium", "high", "critical"] as const;
export const FINDING_CATEGORIES = ["XSS", "CSP", "SSRF", "Auth", "Secrets", "Deps", "Validation", "Other"] as const;

export const findingSchema = z.strictObject({
  severity: z.enum(FINDING_SEVERITIES),
  category: z.enum(FINDING_CATEGORIES),
  file: nonEmpty,
  description: nonEmpty,
  recommended_fix: nonEmpty,
});
export type CrewFinding = z.infer<typeof findingSchema>;

const count = z.int().min(0);
export const testResultsSchema = z.strictObject({ passed: count, failed: count, skipped: count, output: z.string() });
export type TestResults = z.infer<typeof testResultsSchema>;

export const optionSchema = z.strictObject({
  id: z.string().regex(/^OPT-[0-9]+$/),
  label: nonEmpty,
  pros: texts,
  cons: texts,
  effort: z.enum(["low", "medium", "high"]),
  recommended: z.boolean(),
});
export type ResearchOption = z.infer<typeof optionSchema>;

const plain = z.strictObject(COMMON);

/** `artifacts` by role: the common keys, and keys that are accepted from that role alone. */
export const ROLE_ARTIFACTS = {
  SpecAgent: plain,
  Architect: plain,
  Planner: plain,
  Designer: z.strictObject({
    ...COMMON,
    design_spec_inline: z.string().nullable().default(null),
    design_spec_file: z.string().nullable().default(null),
  }),
  Researcher: z.strictObject({
    ...COMMON,
    research_summary: list,
    confidence: z.enum(["high", "medium", "low"]).nullable().default(null),
    options: z.array(optionSchema).default([]),
  }),
  Coder: z.strictObject({ ...COMMON, patch_summary: list.describe("`file: change`, one entry for each changed file") }),
  Reviewer: z.strictObject({
    ...COMMON,
    review_comments: z.array(reviewCommentSchema).default([]),
    checklist_summary: checklistSummarySchema.nullable().default(null),
  }),
  QA: z.strictObject({ ...COMMON, test_results: testResultsSchema.nullable().default(null), coverage_gaps: list }),
  Security: z.strictObject({ ...COMMON, findings: z.array(findingSchema).default([]) }),
  Integrator: z.strictObject({ ...COMMON, ci_notes: list.describe("`step: fix`, one entry for each failed step") }),
  Docs: plain,
} as const satisfies Readonly<Record<DispatchedRole, z.ZodObject>>;
export type ArtifactsOf<R extends DispatchedRole> = z.output<(typeof ROLE_ARTIFACTS)[R]>;
