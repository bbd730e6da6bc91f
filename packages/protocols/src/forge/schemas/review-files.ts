import type { ReviewFocus, ReviewScope, Risk, FindingSeverity } from "./enums.ts";
import { assemble, documentSchema, type DispatchFacts, type ForgeDocument } from "./documents.ts";
import { verdictsPayload, type FindingsCount, type ReviewFinding, type ReviewPayload, type VerdictEntry } from "./review.ts";
import type { z } from "zod";

export type VerdictsPayload = z.output<typeof verdictsPayload>;

const SEVERITY_KEYS = { Blocker: "blocker", Critical: "critical", Major: "major", Minor: "minor" } as const;

export function countFindings(findings: readonly Pick<ReviewFinding, "severity">[]): FindingsCount {
  const count = { blocker: 0, critical: 0, major: 0, minor: 0 };
  for (const { severity } of findings) count[SEVERITY_KEYS[severity]]++;
  return count;
}

/** The entry of one reviewer, without its findings. */
export function verdictEntryOf({ reviewer_model, review_focus, scope, verdict, findings_count, summary }: ReviewPayload): VerdictEntry {
  return { reviewer_model, review_focus, scope, verdict, findings_count, summary };
}

/** review-verdicts/<scope>.yaml. Its payload lists findings only as counts, so the rules between findings and block do not apply. */
const verdictsSchema = documentSchema("adversarial-reviewer", verdictsPayload, () => []);

/** The three entries of a round in one file, in the order given: only the harness writes it. */
export function verdictsDocument(
  scope: ReviewScope,
  round: number,
  entries: readonly VerdictEntry[],
  risk_level: Risk,
  facts: DispatchFacts,
): ForgeDocument<VerdictsPayload> {
  const total = (key: keyof FindingsCount) => entries.reduce((sum, { findings_count }) => sum + findings_count[key], 0);
  const severities = (Object.keys(SEVERITY_KEYS) as FindingSeverity[]).filter((severity) => total(SEVERITY_KEYS[severity]) > 0);
  const findings_count = (Object.values(SEVERITY_KEYS) as (keyof FindingsCount)[]).reduce((sum, key) => sum + total(key), 0);
  const approvals = entries.filter(({ verdict }) => verdict === "approve").length;
  const summary = `Round ${round} of the ${scope} review: ${approvals} of ${entries.length} approve.`;
  const completion = { status: "DONE", summary, severity: severities[0] ?? null, findings_count, risk_level, output_paths: [] } as const;
  const payload = { scope, round, verdicts: entries };
  return assemble("adversarial-reviewer", verdictsSchema, { ...completion, output_paths: [] }, payload, facts);
}

/** With one model for all reviewers, the focus keeps their names apart. */
export function reviewerSuffix(model: string, focus: ReviewFocus, isFallback: boolean): string {
  const name = model.toLowerCase().replaceAll(/[^a-z0-9.-]+/g, "-");
  return isFallback ? `${name}-${focus}` : name;
}

export function findingsFile(scope: ReviewScope, suffix: string): string {
  return `review-findings/${scope}-${suffix}.md`;
}

/** review-findings/<scope>-<model>.md */
export function findingsMarkdown({ scope, reviewer_model, verdict, confidence, findings, summary }: ReviewPayload): string {
  return [
    `# Adversarial Review: ${scope} — ${reviewer_model}`,
    `## Overall Verdict\n\n**Verdict:** ${verdict}\n**Confidence:** ${confidence}`,
    "## Findings",
    ...(findings.length === 0 ? ["No findings."] : findings.map(findingMarkdown)),
    `## Summary\n\n${summary.trim()}`,
  ]
    .join("\n\n")
    .concat("\n");
}

function findingMarkdown(finding: ReviewFinding, index: number): string {
  return [
    `### Finding ${index + 1}: ${finding.title}\n`,
    item("Severity", finding.severity),
    item("Category", finding.category),
    item("Description", finding.description),
    item("Affected artifacts", finding.affected_artifacts.join(", ")),
    item("Recommendation", finding.recommendation),
    item("Evidence", finding.evidence),
  ].join("\n");
}

/** Lines after the first are indented, so that no text of a reviewer becomes a heading of the file. */
function item(name: string, text: string): string {
  return `- **${name}:** ${text.trim().replaceAll(/\r?\n/g, "\n  ")}`;
}
