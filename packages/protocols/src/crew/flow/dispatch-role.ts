import { applyAgentPatch } from "../../change/agent-change.ts";
import { GivenUp } from "../../dispatch/given-up.ts";
import type { DispatchedRole } from "../agents.ts";
import { skippedLines } from "../checklists/qualify.ts";
import type { DispatchInput } from "../contract/input.ts";
import { GATE_DECISIONS } from "../decisions/decision.ts";
import { failedGate } from "../prompts/pre-dispatch.ts";
import type { DispatchRecord } from "../prompts/run-record.ts";
import { noted } from "../contract/note-lines.ts";
import { valueOf } from "../contract/problems.ts";
import type { ProjectType } from "../contract/names.ts";
import type { AgentOutput } from "../contract/output.ts";
import { checklistOf } from "../dispatch/checklist.ts";
import { crewDispatch, type DispatchChild } from "../dispatch/dispatch.ts";
import type { CrewAnswer, Attempted, DispatchOrder } from "../dispatch/order.ts";
import { mayDispatch } from "../rules/review-gates.ts";
import { afterFailedDispatch } from "../rules/dispatch-attempts.ts";
import { BLOCKERS } from "../session/status.ts";
import { parseTasks } from "../session/tasks.ts";
import { CREW_STEPS } from "../steps.ts";
import { readCriteria } from "./artifacts.ts";
import type { CrewSession, SessionChange } from "./crew-session.ts";
import { judgeEffects } from "./judge-effects.ts";
import { Blocked, GateFailed } from "./stops.ts";
import { undoPatch } from "./undo-patch.ts";

/** An answer that counts: its patch is applied, its files are recorded. */
export interface CrewDispatched {
  readonly output: AgentOutput;
  readonly changed: readonly string[];
  readonly diff: string;
}

const PAUSES_MS = [500, 2_000] as const;

/** One dispatch: at most three attempts with identical input. What comes back has changed the repository and the session's files. */
export async function dispatchRole(
  session: CrewSession,
  asked: Omit<DispatchOrder, "number">,
  why: string,
  more: Partial<SessionChange> = {},
): Promise<CrewDispatched> {
  const { run, progress } = session;
  const { role } = asked;
  if (!mayDispatch(session.mode(), role)) throw new Blocked(BLOCKERS.precondition, `${role} is not dispatched in ${session.mode()} mode.`);
  const held = session.decisions().filter(({ decision_id }) => ![...progress.revoked].some((gate) => GATE_DECISIONS[gate] === decision_id));
  const revoked = failedGate(role, session.mode(), held);
  if (progress.revoked.size > 0 && revoked !== null) throw new GateFailed(revoked);
  const number = (progress.numbers.get(role) ?? 0) + 1;
  progress.numbers.set(role, number);
  const order: DispatchOrder = { ...asked, number };
  let input: DispatchInput | null = null;
  for (let attempt = 1; ; attempt++) {
    const name = `${number}.${attempt}`;
    const child: DispatchChild = { ref: run.ref, order, attempt, input };
    const attempted: Attempted = await run.ctx.child(CREW_STEPS.dispatch.named(role, name), crewDispatch, child);
    if (attempted.kind === "gate") throw new GateFailed(attempted.gate);
    if (attempted.kind === "prevented") throw await prevented(session, order, attempted);
    ({ input } = attempted);
    const error = attempted.kind === "failed" ? attempted.error : await apply(session, order, name, attempted.answer);
    if (attempted.kind === "answered" && error === null) {
      await record(session, order, attempted, why, more);
      return { output: attempted.answer.output, changed: attempted.answer.changed, diff: attempted.answer.diff };
    }
    const end = afterFailedDispatch(role, attempt, error ?? "no answer");
    if (end.kind === "blocked")
      throw new Blocked(end.blocker, end.detail, {
        recovery: `See why ${role} gives no valid answer, choose another model if needed, then resume.`,
      });
    if (attempted.kind === "failed" && attempted.transient) await run.ctx.sleep(`again:${role}:${name}`, PAUSES_MS[attempt - 1] ?? 0);
  }
}

/** A BLOCKED result in the role's name: nobody was asked. */
async function prevented(
  session: CrewSession,
  order: DispatchOrder,
  { problems, wrong }: Extract<Attempted, { kind: "prevented" }>,
): Promise<Blocked> {
  const detail = `${order.role} was not dispatched for ${order.taskId}: ${problems.join("; ")}`;
  await session.save({ why: `a check before the dispatch of ${order.role} failed`, blockers: problems, next: "BLOCKED" });
  return new Blocked(wrong ? BLOCKERS.precondition : BLOCKERS.agentBlocked, detail, {
    recovery: "Correct the named files or checks, then resume the session.",
  });
}

/** Applies the patch and judges what it does. Returns why the answer does not count; then nothing of it is left. */
async function apply(session: CrewSession, order: DispatchOrder, name: string, answer: CrewAnswer): Promise<string | null> {
  const { run } = session;
  const key = `${order.role}-${name}`;
  if (answer.diff !== "") {
    const criteria = (await readCriteria(session)).map(({ id, description }) => `${id}: ${description}`);
    const text = { summary: order.goal, acceptance_criteria: criteria.length === 0 ? [order.goal] : criteria };
    const before = await run.ctx.step(`tree:${key}`, async () => (await run.change.services.kernel.features.context(run.id)).tree);
    const applied = await applyAgentPatch(run.change, { name: key, agent: `crew-${order.role.toLowerCase()}`, diff: answer.diff, text });
    if (!applied.ok) return `the change was refused: ${applied.failure.code}: ${applied.failure.message}`;
    if (applied.value === null) throw new GivenUp(run.id);
    const problems = await judgeEffects(session, order, key, answer);
    if (problems.length === 0) return null;
    await undoPatch(run.change, key, { from: applied.value.tree, to: before }, text);
    return problems.join("; ");
  }
  const problems = await judgeEffects(session, order, key, answer);
  return problems.length === 0 ? null : problems.join("; ");
}

async function record(
  session: CrewSession,
  order: DispatchOrder,
  { answer, context, input }: Extract<Attempted, { kind: "answered" }>,
  why: string,
  more: Partial<SessionChange>,
): Promise<void> {
  const { progress, run } = session;
  const { output, texts, status, tasks, changed } = answer;
  const { role, taskId } = order;
  const plan = tasks === null ? null : valueOf(parseTasks(tasks, order.mode));
  note(progress, role, output);
  if (changed.length > 0) {
    progress.build = null;
    progress.changedBy.set(taskId, new Set([...(progress.changedBy.get(taskId) ?? []), ...changed]));
  }
  await session.save({
    why,
    next: session.state(),
    dispatch: [{ agent: role, task: input.task.id, project_type: run.ref.project_type, ...notApplicable(order, run.ref.project_type) }],
    blockers: output.status === "BLOCKED" || output.status === "FAIL" ? [output.summary] : [],
    edited: status,
    ...(plan === null ? {} : { tasks: plan }),
    texts,
    context,
    ...more,
  });
}

function notApplicable(order: DispatchOrder, projectType: ProjectType): Pick<DispatchRecord, "not_applicable"> {
  const checklist = checklistOf(order, projectType);
  return checklist === null || checklist.skipped.length === 0 ? {} : { not_applicable: skippedLines(checklist) };
}

function note(progress: CrewSession["progress"], role: DispatchedRole, output: AgentOutput): void {
  progress.dispatched.push(role);
  if (output.status === "OK") progress.notes.set(role, output.artifacts.notes);
  if (role === "Coder" && output.status === "OK" && noted(output.artifacts.notes, "noBehaviourChange").length === 0)
    progress.behaviourChanged = true;
}
