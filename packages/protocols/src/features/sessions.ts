import { certain } from "./attempt.ts";
import type { WorkerRole } from "./schemas.ts";
import { orchestratorSession, workerSession, type Site } from "./site.ts";

/** Who has to be done before the role can begin. */
const BEFORE: Readonly<Record<WorkerRole, readonly WorkerRole[]>> = { planner: [], builder: ["planner"], qa: ["planner", "builder"] };

/** A worker begins: its session is named in the feature's state, and nobody else's is. */
export async function beginSession(site: Site, role: WorkerRole, attempt: string, batch?: string): Promise<void> {
  const session = workerSession(site, role, batch);
  const done = Object.fromEntries(BEFORE[role].map((before) => [before, "done" as const]));
  await certain(site, `begin:${role}:${attempt}`, (call) =>
    site.shop.kernel.features.setSessions(call, {
      feature_id: site.id,
      cluster: { orchestrator_session_id: orchestratorSession(site), [`${role}_session_id`]: session },
      role_status: { ...done, [role]: "running" },
    }),
  );
}

/** The session is closed; what comes next of this role begins again. */
export async function endSession(site: Site, role: WorkerRole, attempt: string, as: "done" | "blocked" | "ready"): Promise<void> {
  await certain(site, `end:${role}:${attempt}`, (call) =>
    site.shop.kernel.features.setSessions(call, {
      feature_id: site.id,
      cluster: { [`${role}_session_id`]: "unknown" },
      role_status: { [role]: as },
    }),
  );
}
