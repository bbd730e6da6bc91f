import { z } from "zod";
import { REVIEW_FOCUSES, REVIEW_SCOPES, risk, type ReviewFocus } from "../schemas/enums.ts";
import { line, list, path } from "../schemas/fields.ts";
import { runIdSchema } from "./run-id.ts";

export interface ReviewerAssignment {
  readonly model: string;
  readonly review_focus: ReviewFocus;
}

export const DEFAULT_ASSIGNMENTS: readonly ReviewerAssignment[] = [
  { model: "gpt-5.3-codex", review_focus: "security" },
  { model: "gemini-3-pro-preview", review_focus: "architecture" },
  { model: "claude-opus-4.6", review_focus: "correctness" },
];

export const FOCUS_TEXTS: Readonly<Record<ReviewFocus, string>> = {
  security: "Look for injection, authentication gaps, exposed data, secrets and authorization bypass.",
  architecture: "Look at coupling, scalability boundaries, the responsibilities of components and the API surface.",
  correctness: "Look for edge cases, logic errors, departures from the specification, testing gaps and missing error handling.",
};

/** What one reviewer is dispatched with. `risk_level` informs the depth of the review only. */
export const reviewerParametersSchema = z.object({
  review_scope: z.enum(REVIEW_SCOPES),
  model: line,
  review_focus: z.enum(REVIEW_FOCUSES),
  artifacts: list(path, 1),
  risk_level: risk,
  /** The ledger; code scope only. */
  verification_evidence_path: path.optional(),
  run_id: runIdSchema,
  round: z.int().min(1).max(2),
});
export type ReviewerParameters = z.output<typeof reviewerParametersSchema>;

export interface Reviewers {
  readonly assignments: readonly ReviewerAssignment[];
  /** One model for all three: their results carry a warning. */
  readonly isFallback: boolean;
}

/** The three models, or one model three times when not all of them can be used. The focuses are always distinct. */
export function assignReviewers(
  isUsable: (model: string) => boolean,
  single: string,
  preferred: readonly ReviewerAssignment[] = DEFAULT_ASSIGNMENTS,
): Reviewers {
  if (preferred.every(({ model }) => isUsable(model))) return { assignments: preferred, isFallback: false };
  return { assignments: REVIEW_FOCUSES.map((review_focus) => ({ model: single, review_focus })), isFallback: true };
}

type Shared = Omit<ReviewerParameters, "model" | "review_focus" | "artifacts"> & { readonly artifacts: readonly string[] };

export function reviewerParameters(
  { assignments }: Reviewers,
  { verification_evidence_path, artifacts, ...shared }: Shared,
): ReviewerParameters[] {
  const evidence = shared.review_scope === "code" && verification_evidence_path !== undefined ? { verification_evidence_path } : {};
  return assignments.map(({ model, review_focus }) => ({ ...shared, artifacts: [...artifacts], model, review_focus, ...evidence }));
}
