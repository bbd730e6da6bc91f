import { viewChanges } from "../change/view.ts";
import { plainNode, type RunNode } from "../run-view.ts";
import type { Reader } from "../surface/surface.ts";
import type { Task } from "./project/state.ts";
import type { ProjectRows } from "./project/project.ts";
import { openProjects } from "./projects/projects.ts";
import { taskTree, type PillarBranch, type TaskLine } from "./views/tasks.ts";

/** The project's pillars, tasks and modules, and the release once it is a feature. */
export async function viewFactory(reader: Reader, runId: string): Promise<RunNode[]> {
  const { database, door } = reader.records;
  const projects: ProjectRows = openProjects({ db: database.db, door });
  const head = await projects.head();
  const tasks = head?.project_id === runId ? await projects.entries(runId) : new Map<string, Task>();
  return [...taskTree(tasks).flatMap((pillar) => pillarNodes(pillar, runId)), ...(await viewChanges(reader, runId))];
}

function pillarNodes({ pillar, epics }: PillarBranch, runId: string): RunNode[] {
  const id = `pillar:${pillar}`;
  const lines = epics.flatMap(({ stories }) => stories.flatMap(({ tasks }) => tasks));
  const status = lines.every((line) => line.status === "SHIPPED") ? "SHIPPED" : "IN_PROGRESS";
  return [plainNode({ id, parent: runId, kind: "phase", title: pillar, status }), ...lines.flatMap((line) => taskNodes(line, id))];
}

function taskNodes(line: TaskLine, parent: string): RunNode[] {
  const { task_id, name, status, module_refs, depends_on, waits_for, halted_reason, escalation_ref } = line;
  const id = `task:${task_id}`;
  const task = plainNode({
    id,
    parent,
    kind: "task",
    title: name,
    status,
    depends_on: depends_on.map((other) => `task:${other}`),
    waits_for: [
      ...(escalation_ref === null ? [] : [{ for: "person" as const, what: escalation_ref }]),
      ...waits_for.map(({ task }) => ({ for: "task" as const, what: task })),
    ],
    reason: halted_reason,
    links: [{ what: "debate", to: `slipway factory debate ${task_id}` }],
  });
  return [task, ...module_refs.map((ref) => moduleNode(ref, id))];
}

function moduleNode(ref: string, parent: string): RunNode {
  const links = [{ what: "module", to: `slipway factory module ${ref}` }];
  return plainNode({ id: `${parent}/module:${ref}`, parent, kind: "module", title: ref, status: "SHIPPED", links });
}
