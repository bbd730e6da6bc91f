import type { Task, TaskStatus } from "../state.ts";

export type Tasks = Readonly<Record<string, Task>>;

/** All transitive dependencies of a task, by definition. */
export function closure(tasks: Tasks, id: string): Set<string> {
  const found = new Set<string>();
  const look = (at: string) => {
    for (const dependency of tasks[at]?.depends_on ?? []) {
      if (found.has(dependency)) continue;
      found.add(dependency);
      look(dependency);
    }
  };
  look(id);
  return found;
}

export function expected(tasks: Tasks, id: string): TaskStatus {
  const { status } = tasks[id]!;
  if (status !== "PENDING" && status !== "BLOCKED") return status;
  const bad = [...closure(tasks, id)].some((other) => ["HALTED", "ABANDONED"].includes(tasks[other]!.status));
  return bad ? "BLOCKED" : "PENDING";
}

/** The model: entries only, with the rule applied from its definition after each change. */
export class Model {
  tasks: Record<string, Task>;

  constructor(tasks: Tasks) {
    this.tasks = { ...tasks };
  }

  set(id: string, parts: Partial<Task>): void {
    this.tasks[id] = { ...this.tasks[id]!, ...parts };
    for (const other of Object.keys(this.tasks)) this.tasks[other] = { ...this.tasks[other]!, status: expected(this.tasks, other) };
  }

  with(status: TaskStatus): string[] {
    return Object.keys(this.tasks).filter((id) => this.tasks[id]!.status === status);
  }

  next(): string | null {
    if (this.with("HALTED").length + this.with("IN_PROGRESS").length > 0) return null;
    const ready = this.with("PENDING").filter((id) => this.tasks[id]!.depends_on.every((other) => this.tasks[other]!.status === "SHIPPED"));
    return ready.toSorted((left, right) => this.tasks[left]!.declaration_order - this.tasks[right]!.declaration_order)[0] ?? null;
  }
}
