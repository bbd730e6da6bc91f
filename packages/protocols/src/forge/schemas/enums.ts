import { z } from "zod";

export const SEVERITIES = ["Blocker", "Critical", "Major", "Minor"] as const;
export type FindingSeverity = (typeof SEVERITIES)[number];
/** What a refused severity is answered with. */
const SEVERITY_NOTE = `a severity is one of ${SEVERITIES.join(", ")}, written exactly so`;
export const severity = z.enum(SEVERITIES, SEVERITY_NOTE);

export const RISKS = ["🟢", "🟡", "🔴"] as const;
export type Risk = (typeof RISKS)[number];
export const risk = z.enum(RISKS);

const LEVELS = ["High", "Medium", "Low"] as const;
/** Of a decision, of a review and of a run. */
export type ConfidenceLevel = (typeof LEVELS)[number];
export const confidence = z.enum(LEVELS);

export const VERDICTS = ["approve", "needs_revision", "blocker"] as const;
export type Verdict = (typeof VERDICTS)[number];
export const verdict = z.enum(VERDICTS);

export const REVIEW_SCOPES = ["design", "code"] as const;
export type ReviewScope = (typeof REVIEW_SCOPES)[number];

export const REVIEW_FOCUSES = ["security", "architecture", "correctness"] as const;
export type ReviewFocus = (typeof REVIEW_FOCUSES)[number];

export const FINDING_CATEGORIES = ["security", "correctness", "performance", "maintainability", "design"] as const;
export type FindingCategory = (typeof FINDING_CATEGORIES)[number];

export const TASK_SIZES = ["Standard", "Large"] as const;
export type TaskSize = (typeof TASK_SIZES)[number];

export const TASK_TYPES = ["code", "documentation", "test"] as const;
export const FILE_OPERATIONS = ["create", "modify", "delete"] as const;
export const IMPLEMENTER_MODES = ["implement", "revert", "fix"] as const;
export type ImplementerMode = (typeof IMPLEMENTER_MODES)[number];

export const RESEARCH_FOCUSES = ["architecture", "impact", "dependencies", "patterns"] as const;

export const PUSHBACK_CHOICES = ["proceed", "modify", "abandon"] as const;
export type PushbackChoice = (typeof PUSHBACK_CHOICES)[number];

export function highestSeverity(severities: readonly FindingSeverity[]): FindingSeverity | null {
  return SEVERITIES.find((severity) => severities.includes(severity)) ?? null;
}

export function highestRisk(risks: readonly Risk[]): Risk {
  return RISKS.findLast((risk) => risks.includes(risk)) ?? "🟢";
}
