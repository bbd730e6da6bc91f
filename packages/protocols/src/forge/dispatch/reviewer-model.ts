import { DEFAULT_ASSIGNMENTS } from "../rules/reviewers.ts";
import type { ReviewFocus } from "../schemas/enums.ts";

/** A provider that does not name its model is taken to have used the one it was asked for. */
export function reviewerModel(model: string | null, focus: ReviewFocus): string {
  return model ?? DEFAULT_ASSIGNMENTS.find(({ review_focus }) => review_focus === focus)?.model ?? focus;
}
