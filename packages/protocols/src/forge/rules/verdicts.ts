import type { FindingSeverity, Verdict } from "../schemas/enums.ts";
import type { FindingsCount, ReviewAnswer, ReviewFinding } from "../schemas/review.ts";
import { countFindings } from "../schemas/review-files.ts";

const isSecurityBlocker = ({ category, severity }: Pick<ReviewFinding, "category" | "severity">) =>
  category === "security" && severity === "Blocker";

/** A security finding of severity Blocker decides the verdict, whatever the reviewer wrote. */
export function decidedVerdict({ verdict, findings }: Pick<ReviewAnswer, "verdict" | "findings">): Verdict {
  return findings.some(isSecurityBlocker) ? "blocker" : verdict;
}

/** What the reviewer has to correct in its own answer. */
export function reviewContradictions(review: ReviewAnswer): string[] {
  const verdict = decidedVerdict(review);
  const { findings, findings_count } = review;
  const problems: string[] = [];
  if (verdict === "approve")
    for (const { title, severity, category } of findings) {
      if (severity === "Blocker" || (severity === "Critical" && category === "security"))
        problems.push(`payload/verdict: approve contradicts the ${category} finding ${JSON.stringify(title)} of severity ${severity}`);
    }
  if (verdict !== "approve" && findings.length === 0) problems.push(`payload/verdict: ${verdict} needs at least one finding`);
  const counted = countFindings(findings);
  for (const key of Object.keys(counted) as (keyof FindingsCount)[]) {
    if (findings_count[key] !== counted[key])
      problems.push(`payload/findings_count/${key}: is ${findings_count[key]}, but the findings have ${counted[key]}`);
  }
  return problems;
}

export interface KnownIssue {
  readonly severity: FindingSeverity;
  readonly title: string;
  /** Who found it. */
  readonly source: string;
}

interface Review extends Pick<ReviewAnswer, "verdict" | "findings"> {
  readonly reviewer: string;
}

/** The findings of those who did not approve, for the bundle. A security blocker is never among them: it ends the run. */
export function dissentOf(reviews: readonly Review[]): KnownIssue[] {
  return reviews
    .filter(({ verdict }) => verdict !== "approve")
    .flatMap(({ findings, reviewer }) =>
      findings.filter((finding) => !isSecurityBlocker(finding)).map(({ severity, title }) => ({ severity, title, source: reviewer })),
    );
}
