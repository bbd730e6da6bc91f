import type { Task, TaskStatus } from "../project/state.ts";

export interface TaskLine {
  readonly task_id: string;
  readonly name: string;
  readonly status: TaskStatus;
  readonly module_refs: readonly string[];
  readonly depends_on: readonly string[];
  /** Dependencies that are not shipped yet. */
  readonly waits_for: readonly { readonly task: string; readonly status: TaskStatus }[];
  /** Of a blocked task: the halted or abandoned tasks that block it. */
  readonly blocked_by: readonly { readonly task: string; readonly status: TaskStatus; readonly escalation_ref: string | null }[];
  readonly halted_reason: string | null;
  readonly escalation_ref: string | null;
  readonly superseded_by: readonly string[];
}

export interface StoryBranch {
  readonly story: string;
  readonly tasks: readonly TaskLine[];
}
export interface EpicBranch {
  readonly epic: string;
  readonly stories: readonly StoryBranch[];
}
export interface PillarBranch {
  readonly pillar: string;
  readonly epics: readonly EpicBranch[];
}

/** Every task in its branch, in the order of the spec. */
export function taskTree(tasks: ReadonlyMap<string, Task>): PillarBranch[] {
  const blockersOf = blockers(tasks);
  const inOrder = [...tasks].toSorted(([, left], [, right]) => left.declaration_order - right.declaration_order);
  const lines = inOrder.map(([task_id, task]) => ({ task, line: lineOf(task_id, task, tasks, blockersOf) }));
  return branches(lines, ({ task }) => task.pillar).map(([pillar, inPillar]) => ({
    pillar,
    epics: branches(inPillar, ({ task }) => task.epic).map(([epic, inEpic]) => ({
      epic,
      stories: branches(inEpic, ({ task }) => task.story).map(([story, inStory]) => ({ story, tasks: inStory.map(({ line }) => line) })),
    })),
  }));
}

function branches<T>(items: readonly T[], nameOf: (item: T) => string): [string, T[]][] {
  const named = new Map<string, T[]>();
  for (const item of items) {
    const there = named.get(nameOf(item));
    if (there === undefined) named.set(nameOf(item), [item]);
    else there.push(item);
  }
  return [...named];
}

function lineOf(
  task_id: string,
  { task: name, status, module_refs, depends_on, halted_reason, escalation_ref, superseded_by }: Task,
  tasks: ReadonlyMap<string, Task>,
  blockersOf: (task: string) => ReadonlySet<string>,
): TaskLine {
  const state = (task: string) => ({ task, status: tasks.get(task)?.status ?? ("PENDING" as const) });
  const isOver = status === "SHIPPED" || status === "ABANDONED";
  return {
    task_id,
    name,
    status,
    module_refs,
    depends_on,
    waits_for: isOver ? [] : depends_on.map(state).filter((dependency) => dependency.status !== "SHIPPED"),
    blocked_by:
      status === "BLOCKED"
        ? [...blockersOf(task_id)].map((task) => ({ ...state(task), escalation_ref: tasks.get(task)?.escalation_ref ?? null }))
        : [],
    halted_reason,
    escalation_ref,
    superseded_by: superseded_by ?? [],
  };
}

const MOST_BLOCKERS = 5;

/** The halted and abandoned tasks among a task's transitive dependencies. Computed once per task: a project may have thousands. */
function blockers(tasks: ReadonlyMap<string, Task>): (task: string) => ReadonlySet<string> {
  const known = new Map<string, ReadonlySet<string>>();
  function of(start: string): ReadonlySet<string> {
    // Iterative: a chain of tasks may be deeper than the call stack.
    const open = [start];
    for (let id = open.at(-1); id !== undefined; id = open.at(-1)) {
      const needed = tasks.get(id)?.depends_on ?? [];
      const missing = needed.filter((one) => !known.has(one) && tasks.get(one)?.status === "BLOCKED");
      if (missing.length > 0) {
        open.push(...missing);
        continue;
      }
      const found = needed.flatMap((one) => (isBehindIt(tasks.get(one)?.status) ? [one] : [...(known.get(one) ?? [])]));
      known.set(id, new Set(found.slice(0, MOST_BLOCKERS)));
      open.pop();
    }
    return known.get(start) ?? new Set();
  }
  return (task) => known.get(task) ?? of(task);
}

function isBehindIt(status: TaskStatus | undefined): boolean {
  return status === "HALTED" || status === "ABANDONED";
}
