import type { CrewFinding, ReviewComment } from "../contract/artifacts.ts";
import type { OutputStatus } from "../contract/output.ts";

export type ReviewVerdict = "PASS" | "PASS WITH NOTES" | "NEEDS FIXES";

/** What a review means. An agent's own word for it in `summary` counts for nothing. */
export function reviewVerdict(status: OutputStatus, comments: readonly ReviewComment[]): ReviewVerdict {
  if (status !== "OK") return "NEEDS FIXES";
  return comments.some(isNote) ? "PASS WITH NOTES" : "PASS";
}

/** A comment that a person picks or leaves after PASS WITH NOTES. */
export function isNote({ severity }: ReviewComment): boolean {
  return severity === "minor" || severity === "major";
}

/** A comment with which a review cannot be OK. */
export function isBlocking({ severity, category }: ReviewComment): boolean {
  return severity === "blocker" || (severity === "major" && category === "Security");
}

const INJECTION = /\b(?:sql|nosql|command|code|shell|script|template|header|log|ldap|xpath|html|prompt|xml|os)[ -]injection\b/i;
const BYPASS = /\bauth\w*[ -](?:\w+[ -])?bypass|\bbypass\w*\b.*\bauth/i;
const EXPOSURE = /\b(?:secret|credential|password|token|private key|api key)s?\b.*\b(?:exposed|leak\w*|committed|logged|hard-?coded)\b/i;

/** A finding that blocks whatever its severity: secret exposure, auth bypass, injection. */
function isAlwaysBlocking({ category, description }: CrewFinding): boolean {
  if (category === "Secrets") return true;
  return INJECTION.test(description) || BYPASS.test(description) || EXPOSURE.test(description);
}

export function isBlockingFinding(finding: CrewFinding): boolean {
  return finding.severity === "high" || finding.severity === "critical" || isAlwaysBlocking(finding);
}

/** The status that follows from the findings. */
export function securityStatus(findings: readonly CrewFinding[]): "OK" | "NEEDS_DECISION" | "BLOCKED" {
  if (findings.some(isBlockingFinding)) return "BLOCKED";
  return findings.some(({ severity }) => severity === "medium") ? "NEEDS_DECISION" : "OK";
}
