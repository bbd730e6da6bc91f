import { count, isBad, isEligible, isSource, nodeOf, recount, type Graph, type Node } from "./graph.ts";
import { assertTaskTransition, type Task, type TaskStatus } from "./state.ts";

/** Replaces a task and updates the counts of its dependents. Returns every task that changed. */
export function settle(graph: Graph, id: string, task: Task): Set<string> {
  const changed = new Set([id]);
  const node = nodeOf(graph, id);
  const before = { status: node.task.status, source: isSource(node) };
  replace(graph, node, task);
  if (task.status === "SHIPPED" && before.status !== "SHIPPED")
    for (const dependent of node.dependents) meet(graph, nodeOf(graph, dependent));
  if (isSource(node) !== before.source) spread(graph, node, changed);
  follow(graph, node, changed);
  return changed;
}

/** Updates dependents when a task starts or stops blocking them: breadth first, each edge once. */
function spread(graph: Graph, from: Node, changed: Set<string>): void {
  const queue = [from];
  for (const node of queue) {
    const by = isSource(node) ? 1 : -1;
    for (const id of node.dependents) {
      const dependent = nodeOf(graph, id);
      const before = isSource(dependent);
      dependent.tainted += by;
      if (isSource(dependent) !== before) queue.push(dependent);
      follow(graph, dependent, changed);
    }
  }
}

export function rewire(graph: Graph, id: string, dependsOn: readonly string[]): Set<string> {
  const changed = new Set([id]);
  const node = nodeOf(graph, id);
  const before = isSource(node);
  for (const dependency of node.task.depends_on) nodeOf(graph, dependency).dependents.delete(id);
  node.task = { ...node.task, depends_on: [...dependsOn] };
  for (const dependency of dependsOn) nodeOf(graph, dependency).dependents.add(id);
  recount(graph, node);
  if (isSource(node) !== before) spread(graph, node, changed);
  follow(graph, node, changed);
  return changed;
}

/** PENDING and BLOCKED are derived from the graph; every other status stays. */
function follow(graph: Graph, node: Node, changed: Set<string>): void {
  const { status } = node.task;
  const derived: TaskStatus = node.tainted > 0 ? "BLOCKED" : "PENDING";
  if ((status === "PENDING" || status === "BLOCKED") && status !== derived) {
    assertTaskTransition(node.id, status, derived, "CASCADE");
    replace(graph, node, { ...node.task, status: derived });
    changed.add(node.id);
  }
  if (isEligible(node)) graph.ready.push(node.task.declaration_order);
}

function meet(graph: Graph, node: Node): void {
  node.unmet -= 1;
  if (isEligible(node)) graph.ready.push(node.task.declaration_order);
}

function replace(graph: Graph, node: Node, task: Task): void {
  count(graph, node, -1);
  node.task = task;
  count(graph, node, 1);
}

/** The rule, checked on all tasks: a waiting task is BLOCKED exactly if one of its transitive dependencies is HALTED or ABANDONED. */
export function blockedProblems(tasks: Readonly<Record<string, Task>>): string[] {
  const expected = withBlocked(tasks);
  return Object.entries(tasks).flatMap(([id, { status }]) => {
    const should = expected[id]?.status ?? status;
    return status === should ? [] : [`${id} is ${status} and should be ${should}`];
  });
}

/** The same tasks, with PENDING and BLOCKED set by the rule. */
export function withBlocked(tasks: Readonly<Record<string, Task>>): Record<string, Task> {
  const dependents = new Map<string, string[]>();
  for (const [id, { depends_on }] of Object.entries(tasks)) {
    for (const dependency of depends_on) {
      const known = dependents.get(dependency);
      if (known === undefined) dependents.set(dependency, [id]);
      else known.push(id);
    }
  }
  const reached = new Set<string>();
  const queue = Object.keys(tasks).filter((id) => isBad(tasks[id]?.status ?? "PENDING"));
  for (const id of queue) {
    for (const dependent of dependents.get(id) ?? []) {
      if (reached.has(dependent)) continue;
      reached.add(dependent);
      queue.push(dependent);
    }
  }
  const settled = Object.entries(tasks).map(([id, task]): [string, Task] => {
    if (task.status !== "PENDING" && task.status !== "BLOCKED") return [id, task];
    const status = reached.has(id) ? "BLOCKED" : "PENDING";
    return [id, status === task.status ? task : { ...task, status }];
  });
  return Object.fromEntries(settled);
}
