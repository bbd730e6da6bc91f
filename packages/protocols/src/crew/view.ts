import { openRunFiles } from "@slipway/kernel/record/run-files/run-files";
import { changeFolder } from "../change/feature-run.ts";
import { plainNode, type RunNode } from "../run-view.ts";
import type { Reader } from "../surface/surface.ts";
import { valueOf } from "./contract/problems.ts";
import { recordedStatus, STATUS_FILE } from "./dispatch/accept-files.ts";
import { parseTasks, TASKS_FILE, titleOf } from "./session/tasks.ts";

/** The state of the session, and below it its tasks with the statuses of tasks.yaml. */
export async function viewCrew(reader: Reader, feature: { readonly runId: string; readonly id: string }): Promise<RunNode[]> {
  const files = await filesOf(reader, feature);
  const status = recordedStatus(await files.text(STATUS_FILE));
  const parent = `feature:${feature.id}`;
  if (status === null) return [];
  const id = `${parent}/session`;
  const reason = status.current_state === "BLOCKED" ? (status.known_issues.at(-1) ?? null) : null;
  const session = plainNode({ id, parent, kind: "phase", title: status.current_state, status: status.current_state.toLowerCase(), reason });
  const tasks = valueOf(parseTasks((await files.text(TASKS_FILE)) ?? "", status.mode))?.tasks ?? [];
  return [
    session,
    ...tasks.map((task) =>
      plainNode({ id: `${id}/${task.id}`, parent: id, kind: "task", title: `${task.id} ${titleOf(task)}`, status: task.status }),
    ),
  ];
}

/** A change that is all that its run does has the run's own folder. */
async function filesOf({ records }: Reader, { runId, id }: { readonly runId: string; readonly id: string }) {
  const feature = { feature_id: id, run_id: runId, spec_source: "", spec_digest: "", order: [id] };
  const own = openRunFiles(records, changeFolder({ ...feature, alone: true }));
  const inner = openRunFiles(records, changeFolder(feature));
  return (await inner.paths()).length > 0 ? inner : own;
}
