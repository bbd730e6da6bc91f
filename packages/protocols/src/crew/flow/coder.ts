import { META } from "../contract/names.ts";
import type { OutputOf } from "../contract/output.ts";
import { addedLines } from "../dispatch/session-diff.ts";
import { reactionTo } from "../rules/reactions.ts";
import { neededGates, REVIEW_GATES, touchesSecurity } from "../rules/review-gates.ts";
import { commandsIn } from "../contract/names.ts";
import type { CrewTask } from "../session/tasks.ts";
import { askSignals } from "./authors.ts";
import type { CrewSession } from "./crew-session.ts";
import { dispatchRole, type CrewDispatched } from "./dispatch-role.ts";
import { orderFor } from "./orders.ts";
import { passOf } from "./progress.ts";
import { Blocked } from "./stops.ts";

/** Coder's dispatch for one task. */
export async function build(session: CrewSession, task: CrewTask): Promise<void> {
  const done = await dispatchRole(
    session,
    orderFor(session, "Coder", task.id, { needsTests: commandsIn(task.acceptance_checks).length > 0 }),
    `${task.id} is built`,
  );
  await afterCoder(session, task.id, done);
}

/** What follows from Coder's output, in a task or in a repair of everything. Only the loop over the tasks can ask a person. */
export async function afterCoder(session: CrewSession, taskId: string, done: CrewDispatched): Promise<void> {
  const { progress } = session;
  const output = done.output as OutputOf<"Coder">;
  const reaction = reactionTo("Coder", output);
  if (reaction.kind === "blocked") throw new Blocked(reaction.blocker, `Coder, ${taskId}: ${reaction.detail}`, { taskId });
  progress.patchSummary.push(...output.artifacts.patch_summary);
  progress.commands.push(...output.artifacts.commands_to_run);
  noteNeeds(session, taskId, done, output);
  if (session.state() === "IMPLEMENT_LOOP") await askSignals(session, "Coder", output);
}

function noteNeeds(session: CrewSession, taskId: string, { changed, diff }: CrewDispatched, output: OutputOf<"Coder">): void {
  const { progress } = session;
  const added = [...addedLines(diff).values()].join("\n");
  if (touchesSecurity({ changed, added }) || output.gates.security_concerns.length > 0) progress.touchesSecurity = true;
  if (taskId === META) return;
  const task = session.task(taskId);
  const needed = neededGates({
    changed,
    added,
    riskFlags: task?.risk_flags ?? [],
    commands: commandsIn(task?.acceptance_checks ?? []),
    gates: output.gates,
  });
  const pass = passOf(progress, taskId);
  pass.needed = REVIEW_GATES.filter((gate) => pass.needed.includes(gate) || needed.includes(gate));
}
