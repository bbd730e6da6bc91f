import type { ReviewStrategy } from "../decisions/gate-answers.ts";
import type { CrewMode } from "../states/states.ts";
import type { CrewTask } from "../session/tasks.ts";

const MANY_TASKS = 5;
const HIGH_RISK: readonly string[] = ["security", "breaking-change"];

type Planned = Pick<CrewTask, "id" | "depends_on" | "risk_flags">;

/** A task on which several depend, or that depends on several: a defect in one is a defect in the others. */
export function isCrossCutting(tasks: readonly Planned[]): boolean {
  const dependents = tasks.map(({ id }) => tasks.filter(({ depends_on }) => depends_on.includes(id)).length);
  return tasks.some(({ depends_on }) => new Set(depends_on).size > 1) || dependents.some((count) => count > 1);
}

export interface Recommendation {
  readonly strategy: ReviewStrategy;
  readonly reasons: readonly string[];
}

export function recommendStrategy(tasks: readonly Planned[]): Recommendation {
  const risky = tasks.filter(({ risk_flags }) => risk_flags.some((flag) => HIGH_RISK.includes(flag)));
  const reasons = [
    ...(tasks.length >= MANY_TASKS ? [`${tasks.length} tasks`] : []),
    ...(isCrossCutting(tasks) ? ["cross-cutting dependencies"] : []),
    ...(risky.length > 0 ? [`high risk: ${risky.map(({ id }) => id).join(", ")}`] : []),
  ];
  return reasons.length > 0
    ? { strategy: "per-batch", reasons }
    : { strategy: "single-final", reasons: ["few tasks, few dependencies, low risk"] };
}

/** What the person who chooses is shown. */
export function strategyQuestion(tasks: readonly (Planned & { readonly title?: string | undefined; readonly goal: string })[]): string {
  const { strategy, reasons } = recommendStrategy(tasks);
  return [
    `${tasks.length} ${tasks.length === 1 ? "task" : "tasks"}:`,
    ...tasks.map(({ id, title, goal }) => `- ${id} ${title ?? goal}`),
    "per-batch: each task is reviewed before the next begins.",
    "single-final: all tasks are built first and reviewed once together.",
    `Recommended: ${strategy} (${reasons.join("; ")}).`,
  ].join("\n");
}

export function strategyIn(mode: CrewMode, chosen: ReviewStrategy | null): ReviewStrategy | null {
  return mode === "lean" ? "per-batch" : chosen;
}

type Progress = Pick<CrewTask, "id" | "depends_on" | "status">;

/** Tasks that Coder may begin, in the plan's order. */
export function readyTasks<T extends Progress>(tasks: readonly T[], strategy: ReviewStrategy): T[] {
  const done = strategy === "per-batch" ? ["completed"] : ["implemented", "completed"];
  const statusOf = new Map(tasks.map(({ id, status }) => [id, status]));
  return tasks.filter(
    ({ status, depends_on }) =>
      (status === "not-started" || status === "in-progress") && depends_on.every((id) => done.includes(statusOf.get(id) ?? "")),
  );
}

/** Whether Reviewer, QA and Security may run: after each task, or once after all. */
export function mayReview(tasks: readonly Progress[], strategy: ReviewStrategy): boolean {
  return strategy === "per-batch" || tasks.every(({ status }) => status === "implemented" || status === "completed");
}
