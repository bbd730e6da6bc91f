import { z } from "zod";

/** How firmly a decision holds. A cascade moves a decision to `suspended`, a reinstatement moves it back. */
export const CONFIDENCES = ["canonical", "delegated", "inferred", "provisional", "suspended", "blocking"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/** The confidence a decision is appended with. It is kept while the decision is suspended. */
export const SETTLED_CONFIDENCES = ["canonical", "delegated", "inferred", "provisional", "blocking"] as const;
export type SettledConfidence = (typeof SETTLED_CONFIDENCES)[number];

export const DECISION_STATUSES = ["active", "superseded", "invalidated"] as const;
export type DecisionStatus = (typeof DECISION_STATUSES)[number];

const LONGEST_TEXT = 20_000;
const MOST_DEPENDENCIES = 200;

const text = z
  .string()
  .max(LONGEST_TEXT)
  .regex(/^[^\0]*$/, "a text without NUL")
  .refine((value) => value.trim() !== "", "a text that is not empty");
const word = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,79}$/, "letters, digits, `_`, `.` and `-`");

export const decisionId = z.string().regex(/^[A-Za-z][A-Za-z0-9_.:-]{0,119}$/, "letters, digits, `_`, `.`, `:` and `-`");

/** What a decision is about: a run, a feature, or the whole repository. */
export const decisionScope = z
  .string()
  .max(300)
  .regex(/^(?:repository|(?:run|feature):[^\0]+)$/, "`repository`, `run:<id>` or `feature:<id>`");

const dependencies = z
  .array(decisionId)
  .max(MOST_DEPENDENCIES)
  .refine((ids) => new Set(ids).size === ids.length, "ids that are not repeated");

/** Everything that never changes after the entry was appended. */
const content = {
  constraint: text,
  category: word,
  source: word,
  phase: word,
  dependencies,
  failure_context: text.optional(),
  contradiction_resolved: text.optional(),
  user_notes: text.optional(),
  rationale: text.optional(),
};

export const decisionSchema = z.strictObject({
  id: decisionId,
  timestamp: z.iso.datetime(),
  ...content,
  confidence: z.enum(CONFIDENCES),
  status: z.enum(DECISION_STATUSES),
  /** Its confidence before it was suspended. */
  suspended_from: z.enum(SETTLED_CONFIDENCES).optional(),
  supersedes: decisionId.optional(),
  superseded_by: decisionId.optional(),
  /** Why it replaces another entry, or why it ended. */
  reason: text.optional(),
});

export type Decision = z.output<typeof decisionSchema>;

/** Why a decision is no longer true. */
export const failureReport = z.strictObject({ summary: text, phase: word.optional(), evidence: text.optional() });
export type FailureReport = z.output<typeof failureReport>;

/** Why a suspended decision holds again: what was checked, and the result. */
export const validationProof = z.strictObject({ method: text, evidence: text });
export type ValidationProof = z.output<typeof validationProof>;

export const decisionDraft = z.strictObject({
  /** Without one, the next number with `prefix`: `d001`, `d002`, … */
  id: decisionId.optional(),
  prefix: z
    .string()
    .regex(/^[A-Za-z][A-Za-z_]{0,59}$/, "letters and `_`")
    .optional(),
  ...content,
  dependencies: dependencies.default([]),
  confidence: z.enum(SETTLED_CONFIDENCES),
});
export type DecisionDraft = z.input<typeof decisionDraft>;

/** The replacement of an entry. What is left out is taken from the replaced entry. */
export const replacementDraft = z.strictObject({
  ...decisionDraft.partial().shape,
  constraint: text,
  dependencies: dependencies.optional(),
});
export type ReplacementDraft = z.input<typeof replacementDraft>;
