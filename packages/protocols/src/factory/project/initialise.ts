import { SlipwayError } from "@slipway/agents/errors";
import { storePaths } from "../artifacts/layout.ts";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { ProjectOrigin } from "../projects/projects.ts";
import { carryOver, type Carried } from "../incremental/carry.ts";
import type { ProductSpec } from "../product/spec.ts";
import { writeProject } from "./files.ts";
import { machineFile } from "./machine-file.ts";
import { planProject } from "./plan.ts";
import { openProject, type Project, type ProjectRecords } from "./project.ts";

export interface Beginning {
  readonly origin?: ProjectOrigin;
  /** Kept from an earlier project. */
  readonly carried?: Carried;
}

/** Runs all checks first, then writes all files, then all rows in one transaction. */
export async function initialiseProject(
  projectStore: ProjectRecords,
  call: Call,
  id: string,
  spec: ProductSpec,
  { origin, carried }: Beginning = {},
): Promise<Project> {
  const planned = planProject(spec);
  const plan = carried === undefined ? planned : carryOver(planned, carried);
  const { projects, stateStore, clock } = projectStore;
  const head = { project_id: id, spec_version: plan.spec_version, updated_at: clock.now() };
  const tasks = Object.fromEntries(plan.tasks.map(({ task_id, entry }) => [task_id, entry]));
  const machine = { path: storePaths.stateMachine, text: machineFile({ stateStore, clock }, tasks).text(head) };
  const there = await projects.head();
  // A repeated call must not reset the files of a running project.
  if (there?.project_id !== id) await writeProject(stateStore, [...plan.files, machine]);
  await projects.initialise(call, {
    project_id: id,
    spec_version: plan.spec_version,
    plan_digest: plan.digest,
    tasks: plan.tasks,
    summary: plan.view,
    origin,
  });
  const project = await openProject(projectStore);
  if (project?.id === id) return project;
  throw new SlipwayError("operation_conflict", `Another project was initialised after ${id}.`, {
    project_id: id,
    suggested_next_actions: ["Begin a new run."],
  });
}
