import { z } from "zod";
import { META } from "../contract/names.ts";
import { openGate } from "../decisions/change-decisions.ts";
import { CORRECTING_ROLES, moveCorrection, type CorrectionStep } from "../decisions/correction.ts";
import { APPROVE_DESIGN_ID, findDecision, GATE_DECISIONS } from "../decisions/decision.ts";
import { takeGateAnswer } from "../decisions/gate-attempts.ts";
import { changesRequested } from "../decisions/gate-answers.ts";
import { HISTORY_FILE, withRequest } from "../decisions/history.ts";
import { resumeApproval, resumeStrategy } from "../decisions/resume.ts";
import { strategyQuestion } from "../rules/strategy.ts";
import { BLOCKERS, type CrewStatus } from "../session/status.ts";
import type { GateState } from "../states/states.ts";
import { designQuestion } from "./design-question.ts";
import { leave, readFileOf } from "./artifacts.ts";
import type { CrewSession } from "./crew-session.ts";
import { dispatchRole } from "./dispatch-role.ts";
import { orderFor } from "./orders.ts";
import { ANY_TIME, nextName } from "./progress.ts";
import { Blocked } from "./stops.ts";

export async function approveDesign(session: CrewSession): Promise<void> {
  const { progress } = session;
  const step = resumeApproval(session.decisions(), session.status()?.gate_tracking, progress.correctionDone);
  if (step.kind === "leave") return leave(session, "PLAN", { why: "the design is approved" });
  if (step.kind === "correct" && step.step !== "ask") return correct(session, step.step);
  await askGate(session, "APPROVE_DESIGN", await designQuestion(session));
}

export async function reviewStrategy(session: CrewSession): Promise<void> {
  if (resumeStrategy(session.decisions()).kind === "leave")
    return leave(session, "IMPLEMENT_LOOP", { why: "the review strategy is chosen" });
  await askGate(session, "REVIEW_STRATEGY", strategyQuestion(session.tasks()?.tasks ?? []));
}

const answerSchema = z
  .strictObject({
    decision: z.string().optional(),
    comment: z.string().optional(),
    answer: z.string().nullable().optional().describe("Instead of a decision: the answer in words."),
    agent: z.enum(CORRECTING_ROLES).optional().describe("Who makes the changes; by default Architect."),
  })
  .refine(({ decision, answer }) => (decision === undefined) !== (answer === undefined), { error: "must have a decision or an answer" });

const OPTIONS: Readonly<Record<GateState, readonly { readonly value: string; readonly label: string }[]>> = {
  APPROVE_DESIGN: [
    { value: "approved", label: "go on to the plan" },
    { value: "changes-requested", label: "the comment says what to change" },
    { value: "cancel", label: "decide later; the session is blocked until then" },
  ],
  REVIEW_STRATEGY: [
    { value: "per-batch", label: "review each task before the next begins" },
    { value: "single-final", label: "build all tasks, then review them together" },
    { value: "cancel", label: "decide later; the session is blocked until then" },
  ],
};

/** Asks a gate until it has a valid answer. The count of the asks is nowhere but here. */
async function askGate(session: CrewSession, gate: GateState, question: string): Promise<void> {
  const { run, progress } = session;
  await session.save({
    why: `${gate}: the user is asked`,
    next: gate,
    status: (status, at) => ({ ...status, user_decisions: openGate(status.user_decisions, gate, question, at) }),
  });
  for (let asks = 1; ; asks++) {
    const answer = await run.ctx.ask(nextName(progress, `gate:${gate}`), {
      kind: gate === "APPROVE_DESIGN" ? "crew_approve_design" : "crew_review_strategy",
      title: gate === "APPROVE_DESIGN" ? `${run.id}: approve the design?` : `${run.id}: when are changes reviewed?`,
      body: asks === 1 ? question : `The last answer was none of the choices.\n\n${question}`,
      options: OPTIONS[gate],
      schema: answerSchema,
      context: { feature_id: run.id, session: run.session, decision_id: GATE_DECISIONS[gate], asks },
      answerableBy: ["person"],
    });
    const said = saidIn(answer);
    const probe = takeGateAnswer(gate, session.decisions(), { said, asks, at: ANY_TIME });
    if (probe.kind === "ask_again") continue;
    const taken = (status: CrewStatus, at: string): CrewStatus => {
      const step = takeGateAnswer(gate, status.user_decisions, { said, asks, at });
      if (step.kind === "ask_again") return status;
      // A new request begins where the last correction ended.
      const tracking = step.kind === "changes_requested" ? { gate_tracking: moveCorrection(status.gate_tracking, "queued") } : {};
      return { ...status, user_decisions: step.decisions, ...tracking };
    };
    await session.save({
      why: `${gate}: ${probe.kind.replace("_", " ")}`,
      next: gate,
      status: taken,
      answers: { [GATE_DECISIONS[gate]]: said ?? "" },
    });
    if (probe.kind === "blocked") {
      const reason = findDecision(session.decisions(), GATE_DECISIONS[gate])?.resolution_reason ?? "no answer";
      throw new Blocked(BLOCKERS.missingDecision, `${GATE_DECISIONS[gate]}: ${reason}.`, {
        recovery: "Resume the session and answer the question.",
      });
    }
    if (probe.kind === "changes_requested") {
      progress.correctionBy = answer.agent ?? "Architect";
      progress.correctionDone = false;
    }
    return;
  }
}

function saidIn({ decision, comment, answer }: z.infer<typeof answerSchema>): string | null {
  if (decision === undefined) return answer ?? null;
  if (decision === "changes-requested") return comment === undefined || comment.trim() === "" ? null : changesRequested(comment);
  return decision === "cancel" && comment !== undefined ? `cancel: ${comment}` : decision;
}

/** One step of a correction. Each is on disk before what it announces, and the state stays the gate's. */
async function correct(session: CrewSession, step: Exclude<CorrectionStep, "ask">): Promise<void> {
  const { progress } = session;
  const request = findDecision(session.decisions(), APPROVE_DESIGN_ID);
  const history = (await readFileOf(session, HISTORY_FILE)) ?? "";
  const recorded = withRequest(history, request);
  const texts = recorded === history ? {} : { [HISTORY_FILE]: recorded };
  const agent = progress.correctionBy;
  if (step === "queue") return track(session, "changes are requested", texts, (status) => moveCorrection(status.gate_tracking, "queued"));
  if (step === "complete")
    return track(session, "the correction is complete", texts, (status) => moveCorrection(status.gate_tracking, "completed"));
  if (step === "dispatch") {
    await track(session, `the correction goes to ${agent}`, texts, (status, at) =>
      moveCorrection(status.gate_tracking, "dispatched", { agent, at }),
    );
  }
  const { output } = await dispatchRole(
    session,
    orderFor(session, agent, META, { constraints: [`The user requests: ${request?.answer ?? ""}`] }),
    `${agent} corrects the design`,
  );
  if (output.status !== "OK") throw new Blocked(BLOCKERS.agentBlocked, `${agent}: ${output.summary}`);
  progress.correctionDone = true;
}

type Tracking = NonNullable<CrewStatus["gate_tracking"]>;

async function track(
  session: CrewSession,
  why: string,
  texts: Record<string, string>,
  next: (status: CrewStatus, at: string) => Tracking,
): Promise<void> {
  await session.save({ why, next: "APPROVE_DESIGN", texts, status: (status, at) => ({ ...status, gate_tracking: next(status, at) }) });
}
