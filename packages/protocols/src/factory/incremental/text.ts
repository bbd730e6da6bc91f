import { line as oneLine } from "../product/markdown.ts";
import { shown } from "../project/task-names.ts";
import type { Action, RebuildPlan, TaskStep } from "./plan.ts";

const HEADINGS: Readonly<Record<Action, string>> = {
  rebuild: "built again",
  build: "built",
  recheck: "kept if the interfaces they build on stay the same, otherwise built again",
  keep: "kept as shipped",
  abandoned: "stay abandoned",
};
const ORDER = ["rebuild", "build", "recheck", "keep", "abandoned"] as const;
/** How many tasks of each kind are listed. */
const MOST = 50;

/** One line with the number of tasks of each kind. */
export function planSummary({ tasks, removed }: RebuildPlan): string {
  const counts = ORDER.flatMap((action) => {
    const count = tasks.filter((task) => task.action === action).length;
    return count === 0 ? [] : [`${count} ${SHORT[action]}`];
  });
  return [...counts, ...(removed.length === 0 ? [] : [`${removed.length} removed`])].join(", ");
}

const SHORT: Readonly<Record<Action, string>> = {
  rebuild: "built again",
  build: "new or not finished",
  recheck: "to be rechecked",
  keep: "kept",
  abandoned: "still abandoned",
};

/** What will run and why, task by task. */
export function planLines(plan: RebuildPlan): string[] {
  const parts = ORDER.map((action) => section(HEADINGS[action], plan.tasks.filter((task) => task.action === action).map(line)));
  const removed = plan.removed.map(({ task_id, name, module_refs }) => `${task_id} (${shown(oneLine(name))})${shipped(module_refs)}`);
  return [...parts, section("removed, and out of the release", removed)].flat();
}

function section(heading: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const more = lines.length > MOST ? [`  … and ${lines.length - MOST} more`] : [];
  return [`${lines.length} ${heading}:`, ...lines.slice(0, MOST).map((text) => `  ${text}`), ...more];
}

function line({ task_id, name, because, module_refs, was }: TaskStep): string {
  const renamed = was === null || was === task_id ? "" : `, before ${was}`;
  return `${task_id} (${shown(oneLine(name))}${renamed}): ${because.join(", ")}${shipped(module_refs)}`;
}

function shipped(refs: readonly string[]): string {
  return refs.length === 0 ? "" : ` [${refs.join(", ")}]`;
}
