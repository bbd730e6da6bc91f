import type { UserDecision } from "../decisions/decision.ts";
import { securityOutcome } from "../decisions/security.ts";
import { exhaustedAnswer } from "../rules/repairs.ts";
import { BLOCKERS, knownIssue, withRepairs, type CrewStatus } from "../session/status.ts";
import { GATES_STEP } from "./ci.ts";
import { constraintOf, takeAsked } from "./ask-user.ts";
import type { CrewSession } from "./crew-session.ts";
import { passOf, type AskedAbout } from "./progress.ts";
import { negative } from "./repair.ts";
import { REVIEW_MARK } from "./review.ts";
import { Blocked } from "./stops.ts";

/** Acts on the answers of the last question. True if that was a step of its own. */
export async function takeReviewAnswers(session: CrewSession): Promise<boolean> {
  const asked = takeAsked(session);
  if (asked === null) return false;
  const { about, decisions } = asked;
  switch (about.kind) {
    case "signals":
    case "research":
      session.progress.constraints.push(...decisions.map(constraintOf));
      return false;
    case "review_notes":
      return takeNotes(session, about.taskId, decisions);
    case "security":
      return takeFindings(session, about.taskId, decisions);
    case "exhausted":
      return takeExhausted(session, about, decisions);
  }
}

const withIssues = (issues: readonly string[]) => (status: CrewStatus) => issues.reduce(knownIssue, status);

function noteIn({ question }: UserDecision): string {
  return question.slice(REVIEW_MARK.length).replace(/ Answer fix or leave\.$/, "");
}

function isPicked(decision: UserDecision): decision is Extract<UserDecision, { status: "answered" }> {
  return decision.status === "answered" && !/^(?:leave|no|skip|none|later)\b/i.test(decision.answer.trim());
}

/** The notes that the user picks are repaired, the rest is known. */
async function takeNotes(session: CrewSession, taskId: string, decisions: readonly UserDecision[]): Promise<boolean> {
  const picked = decisions.filter(isPicked);
  const left = decisions.filter((decision) => !isPicked(decision));
  if (left.length > 0) await session.save({ why: "notes that stay", next: session.state(), status: withIssues(left.map(noteIn)) });
  if (picked.length === 0) return left.length > 0;
  const findings = picked.map((decision) => `${noteIn(decision)} (${decision.answer})`);
  await negative(session, { loop: "FIX_REVIEW", taskId, gate: "Reviewer", findings });
  return true;
}

/** `fix-now` is repaired; everything else is known, and then the gate has passed. */
async function takeFindings(session: CrewSession, taskId: string, decisions: readonly UserDecision[]): Promise<boolean> {
  const { fix, issues } = securityOutcome(decisions);
  const before = passOf(session.progress, taskId).results.Security;
  if (issues.length > 0) await session.save({ why: "findings that stay", next: session.state(), status: withIssues(issues) });
  if (fix.length > 0) {
    await negative(session, { loop: "FIX_SECURITY", taskId, gate: "Security", findings: fix.map(({ question }) => question) });
    return true;
  }
  if (before !== undefined) passOf(session.progress, taskId).results.Security = { ...before, decided: true };
  return issues.length > 0;
}

/** Acceptance waives the gate; everything else is a constraint for repairs that are counted anew. */
async function takeExhausted(
  session: CrewSession,
  { taskId, loop, gate }: Extract<AskedAbout, { kind: "exhausted" }>,
  decisions: readonly UserDecision[],
): Promise<boolean> {
  const { progress } = session;
  const [decision] = decisions;
  if (decision?.status !== "answered") {
    const detail = `${loop} of ${taskId} is used up, and the user has not decided how it goes on.`;
    throw new Blocked(BLOCKERS.missingDecision, detail, { recovery: "Resume the session and answer the question." });
  }
  const { decision_id, answer } = decision;
  const said = exhaustedAnswer(answer);
  const issue = `${loop} of ${taskId}: accepted with known issues (${decision_id}): ${progress.attempts.get(`${taskId} ${loop}`)?.at(-1)?.failed ?? "not repaired"}`;
  const failed = gate === null ? (progress.build?.failedSteps ?? []) : [];
  // The repository's own gates guard the base: no decision here waives them.
  const mayWaive = !failed.includes(GATES_STEP);
  if (said.waives && mayWaive) {
    if (gate === null) {
      for (const command of failed) progress.waivedCommands.set(command, decision_id);
      progress.build = null;
    } else passOf(progress, taskId).results[gate] = { status: "BLOCKED", meetsDefinitionOfDone: false, decided: false, waived: true };
    await session.save({
      why: `${decision_id}: accepted`,
      next: session.state(),
      status: (status) => withRepairs(knownIssue(status, issue), taskId, loop, 0),
    });
    return true;
  }
  const constraint = said.constraint ?? "The gates of the repository cannot be waived: make them pass.";
  progress.constraints.push(`${decision_id}: ${constraint}`);
  await session.save({
    why: `${loop} of ${taskId} begins anew`,
    next: session.state(),
    status: (status) => withRepairs(status, taskId, loop, 0),
  });
  await negative(session, { loop, taskId, gate, findings: [constraint] });
  return true;
}
