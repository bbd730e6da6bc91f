import { mustPerform } from "./perform.ts";
import type { WorkerRole } from "./worker-role.ts";
import { orchestratorSession, workerSession, type ChangeRun } from "./change-run.ts";

/** The roles that must be done before a role can begin. */
const BEFORE: Readonly<Record<WorkerRole, readonly WorkerRole[]>> = { planner: [], builder: ["planner"], qa: ["planner", "builder"] };

/** Records the worker's session in the feature's state and marks the roles before it as done. */
export async function beginSession(change: ChangeRun, role: WorkerRole, attempt: string, batch?: string): Promise<void> {
  const session = workerSession(change, role, batch);
  const done = Object.fromEntries(BEFORE[role].map((before) => [before, "done" as const]));
  await mustPerform(change, `begin:${role}:${attempt}`, (call) =>
    change.services.kernel.features.setSessions(call, {
      feature_id: change.id,
      cluster: { orchestrator_session_id: orchestratorSession(change), [`${role}_session_id`]: session },
      role_status: { ...done, [role]: "running" },
    }),
  );
}

/** Closes the worker's session; the role's next attempt begins a new one. */
export async function endSession(change: ChangeRun, role: WorkerRole, attempt: string, as: "done" | "blocked" | "ready"): Promise<void> {
  await mustPerform(change, `end:${role}:${attempt}`, (call) =>
    change.services.kernel.features.setSessions(call, {
      feature_id: change.id,
      cluster: { [`${role}_session_id`]: "unknown" },
      role_status: { [role]: as },
    }),
  );
}
