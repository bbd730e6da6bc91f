import { unanswered } from "../../checklists/answers.ts";
import { openGroups } from "../../checklists/qualify.ts";
import { isBlocking, securityStatus } from "../../checklists/verdicts.ts";
import type { OutputFacts } from "../facts.ts";
import type { OutputOf } from "../output.ts";
import { problem } from "../problems.ts";

export function reviewerProblems({ status, artifacts }: OutputOf<"Reviewer">, { checklist }: OutputFacts): string[] {
  if (status === "FAIL") return [];
  const { review_comments, checklist_summary, notes } = artifacts;
  const blocking = review_comments.filter(isBlocking);
  const open = checklist === null ? new Set<string>() : openGroups(checklist);
  const skippedGroups = Object.entries(checklist_summary ?? {}).filter(([group, result]) => result === "N/A" && open.has(group));
  const missing = checklist === null ? [] : unanswered(checklist.items, notes);
  return [
    ...problem(checklist_summary === null, "/artifacts/checklist_summary: missing; every review has all six groups"),
    ...problem(
      status === "OK" && blocking.length > 0,
      `/status: OK although ${blocking.length} review comments block (a blocker, or Security of severity major)`,
    ),
    ...skippedGroups.map(([group]) => `/artifacts/checklist_summary/${group}: N/A although items of it apply to this project`),
    ...problem(
      missing.length > 0,
      `/artifacts/notes: no answer to ${missing.join(", ")}; write \`<item>: OK\`, \`<item>: issue …\` or \`<item>: N/A …\``,
    ),
  ];
}

export function securityProblems({ status, artifacts, gates }: OutputOf<"Security">): string[] {
  if (status === "FAIL") return [];
  const due = securityStatus(artifacts.findings);
  return [
    ...problem(status !== due, `/status: ${status}, but the findings make it ${due}`),
    ...problem(
      status === "BLOCKED" && gates.security_concerns.length === 0,
      "/gates/security_concerns: empty; a BLOCKED names its concerns",
    ),
  ];
}
