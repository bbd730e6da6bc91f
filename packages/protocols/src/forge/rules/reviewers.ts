import type { ReviewFocus } from "../schemas/enums.ts";

interface ReviewerAssignment {
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
