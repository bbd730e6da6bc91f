import { payloadOf } from "../dispatch/run-documents.ts";
import { typedReviewFile } from "../files.ts";
import { callOf, type ForgeRun } from "../forge-run.ts";
import { REVIEW_FOCUSES, type ReviewScope } from "../schemas/enums.ts";
import { findingsFile, findingsMarkdown, reviewerSuffix } from "../schemas/review-files.ts";

/** With one model, the findings files of a round have overwritten one another: each is written again with its focus in its name. */
export async function nameFindingsByFocus(run: ForgeRun, scope: ReviewScope, round: number): Promise<void> {
  const step = `findings-by-focus:${scope}:${round}`;
  await run.ctx.step(step, async () => {
    const texts: Record<string, string | null> = {};
    for (const focus of REVIEW_FOCUSES) {
      const typed = typedReviewFile(scope, focus);
      const payload = await payloadOf(run, "adversarial-reviewer", typed);
      if (payload === null) continue;
      const shared = findingsFile(scope, reviewerSuffix(payload.reviewer_model, focus, false));
      const own = findingsFile(scope, reviewerSuffix(payload.reviewer_model, focus, true));
      Object.assign(texts, { [shared]: null, [own]: findingsMarkdown(payload) });
      texts[typed] = (await run.files.text(typed))?.replaceAll(shared, own) ?? null;
    }
    await run.files.write(callOf(run, step), texts);
  });
}
