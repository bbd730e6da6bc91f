import { nodeOf, type Graph, type Node } from "./graph.ts";
import { refusedChange, type Task } from "./state.ts";

export function assertNoneInProgress({ inProgress }: Graph, { id }: Node): void {
  const [other] = [...inProgress].filter((running) => running !== id);
  if (other !== undefined) throw refusedChange(id, `${id} cannot start: ${other} is in progress.`, { in_progress: other });
}

/** Only dispatch selects a task. */
export function assertChosen({ id }: Node, chosen: string | null): void {
  if (chosen === id) return;
  throw refusedChange(id, `${id} cannot start: dispatch selects ${chosen ?? "no task now"}.`, { selected: chosen });
}

/** The rationale belongs to the escalation that halted the task. */
export function assertAttested({ id, task }: Node, escalation: string): void {
  if (task.status !== "HALTED" || task.escalation_ref === escalation) return;
  throw refusedChange(id, `${id} is halted by ${task.escalation_ref ?? "no escalation"}, not by ${escalation}.`, {
    escalation_ref: escalation,
  });
}

/** A waiting task can be abandoned only if it depends on an abandoned one. */
export function assertCanAbandon(graph: Graph, node: Node): void {
  if (node.task.status !== "BLOCKED") return;
  if ([...behind(graph, node.task.depends_on)].some((id) => nodeOf(graph, id).task.status === "ABANDONED")) return;
  throw refusedChange(node.id, `${node.id} is BLOCKED by a task that is HALTED, not ABANDONED: resolve that one first.`);
}

export function assertCanSplit(graph: Graph, { id }: Node, added: Readonly<Record<string, Task>>): void {
  for (const [name, { depends_on }] of Object.entries(added)) {
    if (graph.nodes.has(name)) throw refusedChange(name, `${name} cannot be added: there is a task of that id.`);
    for (const dependency of depends_on) {
      if (added[dependency] !== undefined) continue;
      if (!graph.nodes.has(dependency)) throw refusedChange(name, `${name} depends on ${dependency}, which is no task of the project.`);
      assertNotGivenUp(graph, name, dependency, id);
    }
  }
  assertNoCircle(added);
}

export function assertCanRewire(graph: Graph, { id, task }: Node, dependsOn: readonly string[]): void {
  if (task.status !== "BLOCKED" && task.status !== "HALTED" && task.status !== "PENDING") {
    throw refusedChange(id, `The dependencies of ${id} cannot change: it is ${task.status}.`);
  }
  for (const dependency of dependsOn) {
    if (!graph.nodes.has(dependency)) throw refusedChange(id, `${id} cannot depend on ${dependency}, which is no task of the project.`);
    assertNotGivenUp(graph, id, dependency, null);
  }
  if (behind(graph, dependsOn).has(id)) throw refusedChange(id, `${id} would depend on itself.`, { depends_on: dependsOn });
}

function assertNotGivenUp(graph: Graph, id: string, dependency: string, aboutToBe: string | null): void {
  if (dependency !== aboutToBe && nodeOf(graph, dependency).task.status !== "ABANDONED") return;
  throw refusedChange(id, `${id} cannot depend on ${dependency}, which is ABANDONED.`, { dependency });
}

function assertNoCircle(added: Readonly<Record<string, Task>>): void {
  const open = new Map(Object.entries(added).map(([id, { depends_on }]) => [id, depends_on.filter((other) => added[other] !== undefined)]));
  for (let before = -1; before !== open.size;) {
    before = open.size;
    for (const [id, others] of open) if (!others.some((other) => open.has(other))) open.delete(id);
  }
  const [first] = open.keys();
  if (first === undefined) return;
  throw refusedChange(first, `The new tasks depend on each other in a circle: ${[...open.keys()].join(", ")}.`);
}

/** These tasks and all their transitive dependencies. */
function behind(graph: Graph, ids: readonly string[]): Set<string> {
  const found = new Set(ids);
  for (const id of found) for (const dependency of nodeOf(graph, id).task.depends_on) found.add(dependency);
  return found;
}
