import type { ReviewScope } from "../schemas/enums.ts";
import type { ReviewPayload } from "../schemas/review.ts";
import type { BundleReview } from "./evidence-bundle.ts";

/** One round of a review with its answers. */
export interface ReviewedRound {
  readonly scope: ReviewScope;
  readonly round: number;
  readonly reviews: readonly Pick<ReviewPayload, "reviewer_model" | "review_focus" | "verdict" | "findings">[];
}

/** Each round with what it found, and how much of it a later round of the same scope did not find again. */
export function summariseReviews(rounds: readonly ReviewedRound[]): BundleReview[] {
  return rounds.map(({ scope, round, reviews }) => {
    const later = rounds.find((one) => one.scope === scope && one.round === round + 1);
    const titles = new Set(later?.reviews.flatMap(titlesIn) ?? []);
    const fixed = later === undefined ? 0 : reviews.flatMap(titlesIn).filter((title) => !titles.has(title)).length;
    const verdicts = reviews.map(({ reviewer_model, review_focus, verdict, findings }) => {
      return { model: reviewer_model, focus: review_focus, verdict, found: findings.length };
    });
    return { scope, round, verdicts, fixed };
  });
}

function titlesIn({ findings }: Pick<ReviewPayload, "findings">): string[] {
  return findings.map(({ title }) => title);
}
