import { refusedChange, TASK_STATUSES, type Task, type TaskStatus } from "./state.ts";
import { readyHeap, type ReadyHeap } from "./ready.ts";

/** A task with counts, so that no decision has to visit all tasks. */
export interface Node {
  readonly id: string;
  task: Task;
  readonly dependents: Set<string>;
  /** Dependencies that are not SHIPPED. */
  unmet: number;
  /** Dependencies that are HALTED or ABANDONED, or that depend on such a task. */
  tainted: number;
}

export type Counts = Record<TaskStatus, number>;

export interface Graph {
  readonly nodes: Map<string, Node>;
  readonly byOrder: Map<number, string>;
  readonly ready: ReadyHeap;
  readonly counts: Counts;
  readonly pillars: Map<string, Counts>;
  readonly halted: Set<string>;
  readonly inProgress: Set<string>;
}

export function emptyCounts(): Counts {
  return Object.fromEntries(TASK_STATUSES.map((status) => [status, 0])) as Counts;
}

export const isBad = (status: TaskStatus) => status === "HALTED" || status === "ABANDONED";
/** Its dependents cannot be built now. */
export const isSource = ({ task, tainted }: Node) => isBad(task.status) || tainted > 0;
export const isEligible = ({ task, unmet }: Node) => task.status === "PENDING" && unmet === 0;

export function buildGraph(tasks: Readonly<Record<string, Task>>): Graph {
  const graph: Graph = {
    nodes: new Map(),
    byOrder: new Map(),
    ready: readyHeap(),
    counts: emptyCounts(),
    pillars: new Map(),
    halted: new Set(),
    inProgress: new Set(),
  };
  addNodes(graph, tasks);
  return graph;
}

/** Adds tasks whose dependencies are among them or in the graph already. */
export function addNodes(graph: Graph, tasks: Readonly<Record<string, Task>>): void {
  const added = Object.entries(tasks).map(([id, task]): Node => ({ id, task, dependents: new Set(), unmet: 0, tainted: 0 }));
  for (const node of added) {
    graph.nodes.set(node.id, node);
    graph.byOrder.set(node.task.declaration_order, node.id);
  }
  for (const node of added) for (const dependency of node.task.depends_on) nodeOf(graph, dependency).dependents.add(node.id);
  for (const node of inDependencyOrder(graph, added)) {
    recount(graph, node);
    count(graph, node, 1);
    if (isEligible(node)) graph.ready.push(node.task.declaration_order);
  }
}

export function recount(graph: Graph, node: Node): void {
  const dependencies = [...new Set(node.task.depends_on)].map((id) => nodeOf(graph, id));
  node.unmet = dependencies.filter(({ task }) => task.status !== "SHIPPED").length;
  node.tainted = dependencies.filter(isSource).length;
}

export function nodeOf(graph: Graph, id: string): Node {
  const node = graph.nodes.get(id);
  if (node !== undefined) return node;
  throw refusedChange(id, `There is no task ${JSON.stringify(id.slice(0, 140))} in the project.`);
}

export function count(graph: Graph, { id, task }: Node, by: 1 | -1): void {
  const pillar = graph.pillars.get(task.pillar) ?? emptyCounts();
  graph.pillars.set(task.pillar, pillar);
  for (const counts of [graph.counts, pillar]) counts[task.status] += by;
  for (const [set, status] of [
    [graph.halted, "HALTED"],
    [graph.inProgress, "IN_PROGRESS"],
  ] as const) {
    if (task.status === status) set[by === 1 ? "add" : "delete"](id);
  }
}

/** Dependencies first; a cycle is refused. */
export function inDependencyOrder(graph: Graph, nodes: readonly Node[]): Node[] {
  const among = new Set(nodes.map(({ id }) => id));
  const waiting = new Map(nodes.map(({ id, task }) => [id, new Set(task.depends_on.filter((dependency) => among.has(dependency))).size]));
  const ordered = nodes.filter(({ id }) => waiting.get(id) === 0);
  for (const node of ordered) {
    for (const id of node.dependents) {
      const unmet = (waiting.get(id) ?? 0) - 1;
      waiting.set(id, unmet);
      if (unmet === 0) ordered.push(nodeOf(graph, id));
    }
  }
  if (ordered.length === nodes.length) return ordered;
  const stuck = nodes.filter(({ id }) => (waiting.get(id) ?? 0) > 0).map(({ id }) => id);
  throw refusedChange(stuck[0] ?? "", `These tasks depend on each other in a circle: ${stuck.slice(0, 20).join(", ")}.`, { tasks: stuck });
}
