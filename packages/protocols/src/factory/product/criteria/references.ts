import type { SpecFinding } from "../deficiency.ts";
import { isEmpty, textsIn, type Outline, type OutlineNode } from "../outline.ts";

/** 7 */
export function taskIdsAreUnique({ tasks }: Outline): SpecFinding[] {
  const first = new Map<string, string>();
  return tasks.flatMap((task) => {
    const id = idOf(task);
    if (id === null) return [];
    const before = first.get(id);
    if (before === undefined) first.set(id, task.path);
    return before === undefined ? [] : [{ path: `${task.path}/task_id`, message: `${id} is already the task_id of ${before}.` }];
  });
}

/** 8 */
export function dependenciesExist({ tasks }: Outline): SpecFinding[] {
  const known = new Set(tasks.map(idOf));
  return tasks.flatMap((task) =>
    textsIn(task, "depends_on")
      .filter(({ text }) => !known.has(text))
      .map(({ path, text }) => ({ path, message: `${task.label} depends on ${text}, and no task of the spec has that id.` })),
  );
}

/** 9: every dependency that closes a cycle, with the cycle. Linear in tasks and dependencies. */
export function dependenciesAreAcyclic({ tasks }: Outline): SpecFinding[] {
  const edges = dependenciesOf(tasks);
  const seen = new Set<string>();
  const findings: SpecFinding[] = [];
  for (const start of edges.keys()) {
    if (seen.has(start)) continue;
    // Iterative: a chain can be as long as the spec, which recursion could not handle.
    const way: { readonly id: string; next: number }[] = [{ id: start, next: 0 }];
    const onTheWay = new Map([[start, 0]]);
    seen.add(start);
    for (let here = way.at(-1); here !== undefined; here = way.at(-1)) {
      const edge = edges.get(here.id)?.[here.next++];
      if (edge === undefined) {
        onTheWay.delete(here.id);
        way.pop();
        continue;
      }
      const from = onTheWay.get(edge.to);
      if (from !== undefined) findings.push({ path: edge.path, message: cycleText([...way.slice(from).map(({ id }) => id), edge.to]) });
      else if (!seen.has(edge.to)) {
        seen.add(edge.to);
        onTheWay.set(edge.to, way.length);
        way.push({ id: edge.to, next: 0 });
      }
    }
  }
  return findings;
}

interface Edge {
  readonly to: string;
  readonly path: string;
}

function dependenciesOf(tasks: readonly OutlineNode[]): Map<string, Edge[]> {
  const edges = new Map<string, Edge[]>();
  for (const task of tasks) {
    const id = idOf(task);
    if (id === null) continue;
    const known = edges.get(id) ?? [];
    edges.set(id, known);
    for (const { path, text } of textsIn(task, "depends_on")) known.push({ to: text, path });
  }
  return edges;
}

const SHOWN = 12;

function cycleText(ids: readonly string[]): string {
  const shown = ids.length <= SHOWN ? ids : [...ids.slice(0, SHOWN - 2), "…", ...ids.slice(-1)];
  return `These tasks depend on each other in a circle: ${shown.join(" -> ")}.`;
}

function idOf({ fields }: OutlineNode): string | null {
  const id = fields["task_id"];
  return typeof id === "string" && !isEmpty(id) ? id : null;
}
