import type { ForgeProgress } from "../progress.ts";
import { dispatchStep } from "../dispatch-step.ts";
import type { ReviewPayload } from "../schemas/review.ts";
import { review } from "./review.ts";

/** Steps 3 and 3b: at most one revision. Returns the findings that stay open, as constraints of the plan. */
export async function designUntilReviewed(progress: ForgeProgress): Promise<readonly string[]> {
  for (let round = 1; ; round++) {
    await dispatchStep(progress, {
      step: "3",
      dispatches: [{ role: "designer", step: "3", instance: `r${round}`, round }],
      input: async (agents) => ({ input: "design", agents }),
      words: round === 1 ? "the design" : `the design, revision ${round - 1}`,
    });
    const { action, reviews } = await review(progress, { scope: "design", round, risk: "🟡" });
    if (action.type !== "revise-design") return reviews.filter(({ verdict }) => verdict !== "approve").flatMap(findingTexts);
  }
}

export function findingTexts({ findings, review_focus }: Pick<ReviewPayload, "findings" | "review_focus">): string[] {
  return findings.map(({ severity, title, description, recommendation, affected_artifacts }) =>
    [
      `${severity} (${review_focus}): ${title}`,
      description,
      `Affected: ${affected_artifacts.join(", ")}`,
      `Recommended: ${recommendation}`,
    ].join("\n"),
  );
}
