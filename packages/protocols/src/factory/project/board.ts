import { SlipwayError } from "@slipway/agents/errors";
import { blockedProblems, rewire, settle } from "./cascade.ts";
import type { TaskChange } from "./changes.ts";
import { addNodes, buildGraph, isEligible, nodeOf, type Graph, type Node } from "./graph.ts";
import { assertAttested, assertCanAbandon, assertCanRewire, assertCanSplit, assertChosen, assertNoneInProgress } from "./rules.ts";
import { assertTaskTransition, type TaskCause, type StateMachine, type Task, type TaskStatus } from "./state.ts";
import { viewOf, type ProjectView } from "./status.ts";

/** A state machine that maintains its counts: decisions take constant time. */
export interface Board {
  /** The task to start now, or none. */
  next(): string | null;
  task(id: string): Task;
  has(id: string): boolean;
  /** Returns the tasks that changed. A refused change leaves everything unchanged. */
  apply(change: TaskChange): readonly string[];
  view(): ProjectView;
  tasks(): Record<string, Task>;
  maxOrder(): number;
}

export interface BoardOptions {
  /** Check the BLOCKED rule on all tasks after each change, and throw if it is violated. */
  readonly verify?: boolean;
}

/** Selects the next task from the state machine alone. */
export function dispatch(machine: Pick<StateMachine, "tasks">): string | null {
  return openBoard(machine.tasks).next();
}

export function openBoard(tasks: Readonly<Record<string, Task>>, { verify = isDevelopment() }: BoardOptions = {}): Board {
  const graph = buildGraph(tasks);
  let highest = [...graph.byOrder.keys()].reduce((most, order) => Math.max(most, order), -1);

  function next(): string | null {
    if (graph.halted.size > 0 || graph.inProgress.size > 0) return null;
    const nodeAt = (order: number) => nodeOf(graph, graph.byOrder.get(order) ?? "");
    const order = graph.ready.first((wanted) => isEligible(nodeAt(wanted)));
    return order === null ? null : nodeAt(order).id;
  }

  function carryOut(change: TaskChange): Set<string> {
    const node = nodeOf(graph, change.task);
    const to = (status: TaskStatus, cause: TaskCause, parts: Partial<Task> = {}) => {
      assertTaskTransition(node.id, node.task.status, status, cause);
      return settle(graph, node.id, { ...node.task, ...parts, status });
    };
    switch (change.kind) {
      case "dispatch":
        assertTaskTransition(node.id, node.task.status, "IN_PROGRESS", "DISPATCH");
        assertNoneInProgress(graph, node);
        assertChosen(node, next());
        return to("IN_PROGRESS", "DISPATCH");
      case "ship":
        return to("SHIPPED", "ENGINEERING", shipped(change.module_refs, change.at));
      case "halt":
        return to("HALTED", "ENGINEERING", { halted_reason: change.reason, escalation_ref: change.escalation_ref });
      case "requeue":
        return to("PENDING", change.by, NOT_HALTED);
      case "resume":
        assertNoneInProgress(graph, node);
        return to("IN_PROGRESS", change.by, NOT_HALTED);
      case "abandon":
        assertCanAbandon(graph, node);
        return to("ABANDONED", change.by);
      case "split":
        return split(node, change.into);
      case "attest":
        assertAttested(node, change.escalation_ref);
        return to("SHIPPED", "ATTESTATION", { ...shipped(change.module_refs, change.at), halted_reason: null });
      case "rewire":
        assertCanRewire(graph, node, change.depends_on);
        return rewire(graph, node.id, change.depends_on);
    }
  }

  function split(node: Node, into: Extract<TaskChange, { kind: "split" }>["into"]): Set<string> {
    assertTaskTransition(node.id, node.task.status, "ABANDONED", "SPLIT_TASK");
    assertCanAbandon(graph, node);
    const added = Object.fromEntries(
      into.map(({ task_id, entry }, index) => [task_id, { ...entry, status: "PENDING" as const, declaration_order: highest + 1 + index }]),
    );
    assertCanSplit(graph, node, added);
    addNodes(graph, added);
    highest += into.length;
    const changed = settle(graph, node.id, { ...node.task, status: "ABANDONED", superseded_by: Object.keys(added) });
    return new Set([...changed, ...Object.keys(added)]);
  }

  const board: Board = {
    next,
    task: (id) => nodeOf(graph, id).task,
    has: (id) => graph.nodes.has(id),
    apply(change) {
      const changed = [...carryOut(change)];
      if (verify) assertBlockedRule(board.tasks());
      return changed;
    },
    view: () => viewOf(graph, next()),
    tasks: () => tasksOf(graph),
    maxOrder: () => highest,
  };
  if (verify) assertBlockedRule(tasks);
  return board;
}

const NOT_HALTED = { halted_reason: null, escalation_ref: null } as const;

function shipped(refs: readonly string[], at: string): Partial<Task> {
  return { module_ref: refs.at(-1) ?? null, module_refs: [...refs], shipped_at: at };
}

function tasksOf({ nodes }: Graph): Record<string, Task> {
  return Object.fromEntries([...nodes.values()].map(({ id, task }) => [id, task]));
}

function assertBlockedRule(tasks: Readonly<Record<string, Task>>): void {
  const problems = blockedProblems(tasks);
  if (problems.length === 0) return;
  throw new SlipwayError("internal_error", `The state machine breaks the BLOCKED rule: ${problems.slice(0, 10).join("; ")}.`, {
    problems,
    suggested_next_actions: ["Report this with .slipway/state_store/project/state_machine.json."],
  });
}

function isDevelopment(): boolean {
  return process.env["NODE_ENV"] === "test" || process.env["NODE_ENV"] === "development";
}
