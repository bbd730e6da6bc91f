import type { OutputOf } from "../contract/output.ts";
import { isNote } from "../checklists/verdicts.ts";
import type { CrewFinding, ReviewComment } from "../contract/artifacts.ts";
import { securityQuestion } from "../decisions/security.ts";
import { reactionTo } from "../rules/reactions.ts";
import { LOOP_OF } from "../rules/repairs.ts";
import type { ReviewGate } from "../rules/review-gates.ts";
import { askAbout } from "./ask-user.ts";
import { askSignals } from "./authors.ts";
import type { CrewSession } from "./crew-session.ts";
import { dispatchRole, type CrewDispatched } from "./dispatch-role.ts";
import { reviewOrder } from "./orders.ts";
import type { Pass } from "./progress.ts";
import { negative } from "./repair.ts";
import { Blocked } from "./stops.ts";

/** One review of a pass, and what follows from its verdict. */
export async function review(session: CrewSession, pass: Pass, gate: ReviewGate): Promise<void> {
  const { output } = await dispatchRole(session, await reviewOrder(session, gate, pass.id), `${gate} looks at ${pass.id}`);
  const reaction = reactionTo(gate, output as OutputOf<typeof gate>);
  if (reaction.kind === "blocked") throw new Blocked(reaction.blocker, `${gate}, ${pass.id}: ${reaction.detail}`);
  const meetsDefinitionOfDone = output.gates.meets_definition_of_done;
  if (reaction.kind === "repair" || (output.status === "OK" && !meetsDefinitionOfDone)) {
    return negative(session, {
      loop: LOOP_OF[gate],
      taskId: pass.id,
      gate,
      findings: findingsOf(output),
      defectInTests: gate === "QA" && output.next.recommended_agent === "QA",
    });
  }
  pass.results[gate] = { status: output.status, meetsDefinitionOfDone, decided: false, waived: false };
  if (reaction.kind !== "ask") {
    await askSignals(session, gate, output);
    return;
  }
  const isSecurity = reaction.about === "security_decision";
  const asked = unasked(session, isSecurity ? securityQuestions(output) : noteQuestions(output));
  // The user has left every one of them before.
  if (asked.length === 0) {
    pass.results[gate] = { status: output.status, meetsDefinitionOfDone, decided: isSecurity, waived: false };
    return;
  }
  const kind = isSecurity ? "security" : "review_notes";
  await askAbout(
    session,
    { kind, taskId: pass.id },
    asked,
    `${gate} leaves ${asked.length === 1 ? "a decision" : "decisions"} to the user`,
  );
}

function findingsOf({ summary, artifacts }: CrewDispatched["output"]): string[] {
  const comments = (artifacts.review_comments as readonly (ReviewComment | string)[]).map((comment) =>
    typeof comment === "string"
      ? comment
      : `${comment.severity} ${comment.file}:${comment.line}: ${comment.message} Suggested: ${comment.suggested_fix}`,
  );
  const findings = (artifacts.findings as readonly (CrewFinding | string)[]).map((finding) =>
    typeof finding === "string"
      ? finding
      : `${finding.severity} ${finding.category} ${finding.file}: ${finding.description} Recommended: ${finding.recommended_fix}`,
  );
  return [summary, ...comments, ...findings, ...artifacts.notes.filter((note) => !/^[a-z0-9-]+:\s*(?:OK|N\/A)\b/i.test(note))];
}

function securityQuestions(output: CrewDispatched["output"]): string[] {
  return (output as OutputOf<"Security">).artifacts.findings.filter(({ severity }) => severity === "medium").map(securityQuestion);
}

export const REVIEW_MARK = "[review] ";

function noteQuestions(output: CrewDispatched["output"]): string[] {
  const notes = (output as OutputOf<"Reviewer">).artifacts.review_comments.filter(isNote);
  return notes.map(
    ({ severity, file, line, message, suggested_fix }) =>
      `${REVIEW_MARK}${severity} in ${file}:${line}: ${message} Suggested: ${suggested_fix} Answer fix or leave.`,
  );
}

/** What the user chose to repair may be asked again if it is still there; what they left may not. */
function unasked(session: CrewSession, questions: readonly string[]): string[] {
  const left = session
    .decisions()
    .filter((decision) => decision.status !== "answered" || !/^fix(?![- ]later)/i.test(decision.answer.trim()));
  const known = new Set(left.map(({ question }) => question));
  return [...new Set(questions)].filter((question) => !known.has(question));
}
