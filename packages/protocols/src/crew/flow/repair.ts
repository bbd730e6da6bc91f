import { META } from "../contract/names.ts";
import type { OutputOf } from "../contract/output.ts";
import { findDecision, REVIEW_STRATEGY_ID } from "../decisions/decision.ts";
import { strategyOf } from "../decisions/gate-answers.ts";
import { exhaustedQuestion, nextRepair, repairRole } from "../rules/repairs.ts";
import { reactionTo } from "../rules/reactions.ts";
import type { ReviewGate } from "../rules/review-gates.ts";
import { BLOCKERS, repairsOf, withRepairs } from "../session/status.ts";
import type { LoopState } from "../states/states.ts";
import { askAbout } from "./ask-user.ts";
import { afterCoder } from "./coder.ts";
import type { CrewSession } from "./crew-session.ts";
import { dispatchRole } from "./dispatch-role.ts";
import { attemptsKey, orderFor, reviewOrder } from "./orders.ts";
import { passOf } from "./progress.ts";
import { Blocked } from "./stops.ts";

export interface Negative {
  readonly loop: LoopState;
  readonly taskId: string;
  readonly gate: ReviewGate | null;
  readonly findings: readonly string[];
  readonly defectInTests?: boolean;
  /** A person asked for it: that uses up no repair. */
  readonly isRequest?: boolean;
}

/** A negative verdict: the next repair, counted on disk before its dispatch, or a question when three have failed. */
export async function negative(
  session: CrewSession,
  { loop, taskId, gate, findings, defectInTests = false, isRequest = false }: Negative,
): Promise<void> {
  const { progress } = session;
  const status = session.status();
  if (status === null) throw new Blocked(BLOCKERS.precondition, "status.json is missing.");
  const attempts = progress.attempts.get(attemptsKey(taskId, loop)) ?? [];
  const summary = findings[0] ?? "no reason given";
  const count = isRequest ? repairsOf(status, taskId, loop) : nextRepair(repairsOf(status, taskId, loop));
  if (count === null) {
    await askAbout(
      session,
      { kind: "exhausted", taskId, loop, gate },
      [exhaustedQuestion(loop, taskId, [...attempts.slice(0, -1), ...attempts.slice(-1).map(({ tried }) => ({ tried, failed: summary }))])],
      `${loop} of ${taskId} is used up`,
    );
    return;
  }
  const last = attempts.at(-1);
  if (last !== undefined && !isRequest) attempts[attempts.length - 1] = { ...last, failed: summary };
  progress.attempts.set(attemptsKey(taskId, loop), attempts);
  const role = repairRole(loop, { mode: session.mode(), defectInTests, recommended: isRequest ? "Coder" : progress.recommended });
  progress.repair = { loop, taskId, gate, findings, role };
  await session.move(loop, {
    why: `${taskId}: ${summary}`,
    status: (before) => (count === repairsOf(before, taskId, loop) ? before : withRepairs(before, taskId, loop, count)),
  });
}

/** FIX_REVIEW, FIX_TESTS, FIX_SECURITY, FIX_BUILD: the repair alone. What it repaired is verified in the state that is returned to. */
export async function repair(session: CrewSession): Promise<void> {
  const { progress } = session;
  const wanted = progress.repair;
  if (wanted === null) throw new Blocked(BLOCKERS.precondition, `${session.state()} was entered without findings.`);
  const { loop, taskId, gate, findings, role } = wanted;
  const order = orderFor(session, role, taskId, {
    constraints: findings.map((finding) => `Repair: ${finding}`),
    isSecurityFix: loop === "FIX_SECURITY",
    failedSteps: loop === "FIX_BUILD" ? (progress.build?.failedSteps ?? []) : [],
    facts: loop === "FIX_BUILD" && progress.build !== null ? [{ title: "build and checks", text: progress.build.text }] : [],
    execution: null,
  });
  const withTests = role === "QA" ? await reviewOrder(session, "QA", taskId) : null;
  const done = await dispatchRole(
    session,
    withTests === null ? order : { ...withTests, constraints: order.constraints },
    `${loop} of ${taskId}`,
  );
  if (role === "Coder") await afterCoder(session, taskId, done);
  else if (role === "Integrator") {
    progress.recommended = done.output.next.recommended_agent;
    const reaction = reactionTo("Integrator", done.output as OutputOf<"Integrator">);
    // It leaves the rest to Coder: the next repair goes there.
    if (reaction.kind === "blocked" && progress.recommended !== "Coder")
      throw new Blocked(reaction.blocker, `Integrator: ${reaction.detail}`);
  }
  const attempts = progress.attempts.get(attemptsKey(taskId, loop)) ?? [];
  attempts.push({ tried: done.output.summary, failed: "not yet known" });
  progress.attempts.set(attemptsKey(taskId, loop), attempts);
  progress.repair = null;
  progress.build = null;
  if (gate !== null) reopen(session, taskId, gate);
  await session.move(loop === "FIX_BUILD" ? "INTEGRATE" : "IMPLEMENT_LOOP", {
    why: `${loop} of ${taskId} was dispatched and is verified next`,
  });
}

/** The gate that was negative is passed again; after a repair of the combined pass, all of it. */
function reopen({ progress, decisions }: CrewSession, taskId: string, gate: ReviewGate): void {
  const pass = passOf(progress, taskId);
  const isCombined = taskId === META && strategyOf(findDecision(decisions(), REVIEW_STRATEGY_ID)) === "single-final";
  for (const each of isCombined ? pass.needed : [gate]) delete pass.results[each];
}
