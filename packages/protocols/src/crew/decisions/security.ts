import type { CrewFinding } from "../contract/artifacts.ts";
import type { UserDecision } from "./decision.ts";

export const SECURITY_OPTIONS = ["fix-now", "fix-later", "accept-risk"] as const;
export type SecurityOption = (typeof SECURITY_OPTIONS)[number];

/** Marks a question as one of Security's, on disk and after a resume. */
const MARK = "[security] ";

export function isSecurityDecision({ question }: UserDecision): boolean {
  return question.startsWith(MARK);
}

/** The question about one medium finding. */
export function securityQuestion({ category, file, description, recommended_fix }: CrewFinding): string {
  return `${MARK}${category} in ${file}: ${description} Recommended: ${recommended_fix} Answer ${SECURITY_OPTIONS.join(", ")}.`;
}

export function securityOption(answer: string): SecurityOption | null {
  const word = answer
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, "-");
  return SECURITY_OPTIONS.find((option) => word === option) ?? null;
}

export interface SecurityOutcome {
  /** Decisions whose findings go to FIX_SECURITY. */
  readonly fix: readonly UserDecision[];
  /** Entries for known_issues; with nothing to fix and nothing open, Security's gate passes. */
  readonly issues: readonly string[];
  /** Decisions without a resolution: the gate does not pass. */
  readonly open: readonly UserDecision[];
}

function chosen(decision: UserDecision): SecurityOption | null {
  return decision.status === "answered" ? securityOption(decision.answer) : null;
}

/** What the resolved decisions mean. A deferral counts like `fix-later`. */
export function securityOutcome(decisions: readonly UserDecision[]): SecurityOutcome {
  const own = decisions.filter(isSecurityDecision);
  const fix = own.filter((decision) => chosen(decision) === "fix-now");
  const open = own.filter(
    (decision) =>
      decision.status === "pending" || decision.status === "skipped" || (decision.status === "answered" && chosen(decision) === null),
  );
  const left = own.filter((decision) => !fix.includes(decision) && !open.includes(decision));
  return { fix, open, issues: left.map((decision) => `${findingIn(decision)} (${chosen(decision) ?? decision.resolution_reason})`) };
}

function findingIn({ question }: UserDecision): string {
  return question.slice(MARK.length).replace(/ Answer [^.]*\.$/, "");
}
