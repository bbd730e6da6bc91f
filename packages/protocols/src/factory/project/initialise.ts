import { SlipwayError } from "@slipway/durable/errors";
import { storePaths } from "../artifacts/layout.ts";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { ProjectOrigin } from "../projects/projects.ts";
import { carryOver, type Carried } from "../incremental/carry.ts";
import type { ProductSpec } from "../product/spec.ts";
import { writeProject } from "./files.ts";
import { machineFile } from "./machine-file.ts";
import { planProject } from "./plan.ts";
import { openProject, type Project, type ProjectRoom } from "./project.ts";

export interface Beginning {
  readonly origin?: ProjectOrigin;
  /** What stays of an earlier project. */
  readonly carried?: Carried;
}

/** Everything is checked first; then the files, all at once; then the rows, in one transaction. */
export async function initialiseProject(
  room: ProjectRoom,
  call: Call,
  id: string,
  spec: ProductSpec,
  { origin, carried }: Beginning = {},
): Promise<Project> {
  const planned = planProject(spec);
  const plan = carried === undefined ? planned : carryOver(planned, carried);
  const { projects, stateStore, clock } = room;
  const head = { project_id: id, spec_version: plan.spec_version, updated_at: clock.now() };
  const tasks = Object.fromEntries(plan.tasks.map(({ task_id, entry }) => [task_id, entry]));
  const machine = { path: storePaths.stateMachine, text: machineFile({ stateStore, clock }, tasks).text(head) };
  const there = await projects.head();
  // A repeat finds the project under way: its files are not the first ones any more.
  if (there?.project_id !== id) await writeProject(stateStore, [...plan.files, machine]);
  await projects.initialise(call, {
    project_id: id,
    spec_version: plan.spec_version,
    plan_digest: plan.digest,
    tasks: plan.tasks,
    summary: plan.view,
    origin,
  });
  const project = await openProject(room);
  if (project?.id === id) return project;
  throw new SlipwayError("operation_conflict", `Another project was initialised after ${id}.`, {
    project_id: id,
    suggested_next_actions: ["Begin a new run."],
  });
}
