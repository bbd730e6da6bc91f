import { z } from "zod";
import { confidence, FINDING_CATEGORIES, REVIEW_FOCUSES, REVIEW_SCOPES, severity, verdict } from "./enums.ts";
import { count, line, list, taskId, text } from "./fields.ts";

const reviewFinding = z.object({
  title: line,
  severity,
  category: z.enum(FINDING_CATEGORIES),
  description: text,
  affected_artifacts: list(line, 1),
  recommendation: text,
  evidence: text,
});
export type ReviewFinding = z.output<typeof reviewFinding>;

const findingsCount = z.object({ blocker: count, critical: count, major: count, minor: count });
export type FindingsCount = z.output<typeof findingsCount>;

/** A check the reviewer relies on. The harness compares it with the ledger. */
const checkCitation = z.object({ task_id: taskId, check_name: line, passed: z.boolean() });
export type CheckCitation = z.output<typeof checkCitation>;

const paragraph = text.regex(/^(?!\s*\n)(?:(?!\n[ \t]*\n)[^])*$/, "must be one paragraph");

export const reviewAnswer = z.object({
  verdict,
  confidence,
  findings_count: findingsCount,
  summary: paragraph,
  findings: list(reviewFinding),
  checks_cited: list(checkCitation).default([]),
});
export type ReviewAnswer = z.output<typeof reviewAnswer>;

const reviewer = { reviewer_model: line, review_focus: z.enum(REVIEW_FOCUSES), scope: z.enum(REVIEW_SCOPES) };
export type Reviewer = z.output<z.ZodObject<typeof reviewer>>;

/** One entry of review-verdicts/<scope>.yaml. */
const verdictEntry = z.object({ ...reviewer, verdict, findings_count: findingsCount, summary: paragraph });
export type VerdictEntry = z.output<typeof verdictEntry>;

export const reviewPayload = z.object({ ...verdictEntry.shape, ...reviewAnswer.shape });
export type ReviewPayload = z.output<typeof reviewPayload>;

export const verdictsPayload = z.object({ scope: z.enum(REVIEW_SCOPES), round: z.int().min(1).max(2), verdicts: list(verdictEntry, 1) });
