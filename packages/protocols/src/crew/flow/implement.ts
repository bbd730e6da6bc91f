import { META } from "../contract/names.ts";
import { findDecision, REVIEW_STRATEGY_ID } from "../decisions/decision.ts";
import { strategyOf, type ReviewStrategy } from "../decisions/gate-answers.ts";
import { outgrown } from "../rules/lean.ts";
import { mayComplete, missingGates, nextGate, REVIEW_GATES } from "../rules/review-gates.ts";
import { mayReview, readyTasks, strategyIn } from "../rules/strategy.ts";
import { signalled } from "../prompts/signals.ts";
import { BLOCKERS } from "../session/status.ts";
import { withTaskStatus } from "../session/task-moves.ts";
import type { CrewTask } from "../session/tasks.ts";
import { takeReviewAnswers } from "./answers.ts";
import { leave } from "./artifacts.ts";
import { build } from "./coder.ts";
import type { CrewSession } from "./crew-session.ts";
import { passOf, type Pass } from "./progress.ts";
import { review } from "./review.ts";
import { Blocked } from "./stops.ts";

/** One dispatch or transition of the loop over the tasks. */
export async function implement(session: CrewSession): Promise<void> {
  if (await takeReviewAnswers(session)) return;
  if (session.mode() === "lean" && (await restartIfLarger(session))) return;
  const tasks = session.tasks()?.tasks ?? [];
  const strategy = strategyIn(session.mode(), strategyOf(findDecision(session.decisions(), REVIEW_STRATEGY_ID)));
  if (strategy === null) throw new Blocked(BLOCKERS.missingDecision, `${REVIEW_STRATEGY_ID} has no valid answer.`);
  const built = strategy === "per-batch" ? tasks.find(({ status }) => status === "implemented") : undefined;
  if (built !== undefined) return reviewOrComplete(session, passOf(session.progress, built.id), built);
  // A blocked task was resumed by a person: Coder gets it first.
  const [ready] = [...tasks.filter(({ status }) => status === "blocked"), ...readyTasks(tasks, strategy)];
  if (ready !== undefined) return build(session, ready);
  if (!mayReview(tasks, strategy) || tasks.some(({ status }) => status !== "completed" && status !== "implemented"))
    throw new Blocked(BLOCKERS.precondition, "No task is ready, and not every task is done: see depends_on in tasks.yaml.");
  const pass = metaPass(session, strategy);
  const gate = nextGate(pass.needed, pass.results);
  if (gate !== null) return review(session, pass, gate);
  if (tasks.some(({ status }) => status === "implemented")) return completeAll(session, pass);
  await leave(session, "INTEGRATE", { why: "every task is completed and reviewed" });
}

async function reviewOrComplete(session: CrewSession, pass: Pass, task: CrewTask): Promise<void> {
  const gate = nextGate(pass.needed, pass.results);
  if (gate !== null) return review(session, pass, gate);
  if (!mayComplete(task.status, pass.needed, pass.results)) throw new Blocked(BLOCKERS.precondition, `${task.id} cannot be completed.`);
  const tasks = session.tasks();
  if (tasks !== null)
    await session.save({
      why: `${task.id} has passed its reviews`,
      next: session.state(),
      tasks: withTaskStatus(tasks, task.id, "completed"),
    });
}

/** The review of everything: all of it under single-final, what crosses the tasks or never ran under per-batch. */
function metaPass(session: CrewSession, strategy: ReviewStrategy): Pass {
  const { progress } = session;
  const pass = passOf(progress, META);
  if (strategy === "single-final") pass.needed = REVIEW_GATES;
  else {
    const { dispatched, behaviourChanged, touchesSecurity } = progress;
    const missing = missingGates(session.mode(), { dispatched, behaviourChanged, touchesSecurity });
    const crossTask = session.mode() === "full" ? (["Reviewer"] as const) : [];
    const wanted = new Set([...pass.needed, ...crossTask, ...missing]);
    pass.needed = REVIEW_GATES.filter((gate) => wanted.has(gate));
  }
  return pass;
}

async function completeAll(session: CrewSession, pass: Pass): Promise<void> {
  const before = session.tasks();
  if (before === null) return;
  const open = before.tasks.filter(({ status }) => status === "implemented");
  const mayAll = open.every(({ status }) => mayComplete(status, pass.needed, pass.results));
  if (!mayAll) throw new Blocked(BLOCKERS.precondition, "The combined review has not passed.");
  const tasks = open.reduce((file, { id }) => withTaskStatus(file, id, "completed"), before);
  await session.save({ why: "the combined review has passed", next: session.state(), tasks });
}

/** A lean task that proves larger begins again at INTAKE in full mode. What people decided stays. */
async function restartIfLarger(session: CrewSession): Promise<boolean> {
  const { progress } = session;
  const changed = new Set([...progress.changedBy.values()].flatMap((paths) => [...paths]));
  const why = outgrown([...changed], signalled(progress.notes.get("Coder") ?? [], "task-larger"));
  if (why === null) return false;
  progress.done.clear();
  progress.passes.clear();
  progress.changedBy.clear();
  progress.constraints.push(`Lean mode was left: ${why}. What is there may be kept, changed or removed.`);
  await session.move("INTAKE", {
    why: `lean mode is left: ${why}`,
    status: (status) => ({ ...status, mode: "full", retry_counts: {} }),
    tasks: null,
  });
  return true;
}
