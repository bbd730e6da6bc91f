import type { DispatchedRole } from "../agents.ts";
import { COMMAND_PREFIX, commandsIn, META } from "../contract/names.ts";
import type { DispatchOrder } from "../dispatch/order.ts";
import { titleOf } from "../session/tasks.ts";
import type { ReviewGate } from "../rules/review-gates.ts";
import { runChecks, textOfRun } from "./commands.ts";
import { sessionCommands } from "./ci.ts";
import type { CrewSession } from "./crew-session.ts";
import { nextName } from "./progress.ts";

export type Order = Omit<DispatchOrder, "number">;

/** A dispatch in the session's present state, about a task or about the session as a whole. */
export function orderFor(session: CrewSession, role: DispatchedRole, taskId: string, more: Partial<Order> = {}): Order {
  const task = session.task(taskId);
  const { progress } = session;
  return {
    role,
    state: session.state(),
    mode: session.mode(),
    taskId,
    title: task === null ? `Session ${session.run.session}` : titleOf(task),
    goal: task?.goal ?? session.request,
    nonGoals: task?.non_goals ?? [],
    acceptanceChecks: task?.acceptance_checks ?? [],
    riskFlags: task?.risk_flags ?? [],
    failedStep: progress.build?.failedSteps[0] ?? "build",
    needsTests: false,
    reviewed: [],
    facts: [],
    failedSteps: [],
    taskType: task?.type ?? null,
    filesExpected: task === null || task.files_expected.length === 0 ? null : task.files_expected,
    behaviourChanged: progress.behaviourChanged,
    isSecurityFix: false,
    execution: null,
    ...more,
    constraints: [...progress.constraints, ...(more.constraints ?? [])],
  };
}

/** A review gets its files in full; QA gets the harness's own run of the tests, too. */
export async function reviewOrder(session: CrewSession, gate: ReviewGate, taskId: string): Promise<Order> {
  const { run, progress } = session;
  const changed = await run.ctx.step(nextName(progress, "changed"), () => run.change.services.kernel.features.changedFiles(run.id));
  const own = progress.changedBy.get(taskId);
  const files = taskId === META || own === undefined ? changed : changed.filter(({ path }) => own.has(path));
  const reviewed = files.filter(({ change_type }) => change_type !== "deleted").map(({ path }) => path);
  const base = orderFor(session, gate, taskId, { reviewed, isSecurityFix: progress.attempts.has(attemptsKey(taskId, "FIX_SECURITY")) });
  const commands = await sessionCommands(session);
  // A task without a command of its own is checked by those of the criteria.
  const hasCommand = commandsIn(base.acceptanceChecks).length > 0;
  const checks = hasCommand
    ? base.acceptanceChecks
    : [...base.acceptanceChecks, ...commands.map((command) => `${COMMAND_PREFIX} ${command}`)];
  const riskFlags = taskId === META ? sessionRisks(session) : base.riskFlags;
  if (gate !== "QA") return { ...base, acceptanceChecks: checks, riskFlags };
  const ran = await runChecks(run.change, nextName(progress, "tests").replace(":", "-"), commandsIn(checks));
  const facts = ran === null ? [] : [{ title: "tests, as the harness ran them on these files", text: textOfRun(ran) }];
  return { ...base, acceptanceChecks: checks, riskFlags, needsTests: true, facts, execution: ran?.tests ?? null };
}

function sessionRisks(session: CrewSession): string[] {
  const flags = session.tasks()?.tasks.flatMap(({ risk_flags }) => risk_flags) ?? [];
  return [...new Set(flags)].filter((flag) => flag !== "none");
}

export function attemptsKey(taskId: string, loop: string): string {
  return `${taskId} ${loop}`;
}
