export type RunStatus = "pending" | "running" | "waiting" | "stopped" | "completed" | "failed" | "cancelled";

/** The allowed next statuses. A status without any is final. */
export const RUN_TRANSITIONS: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  pending: ["running", "stopped", "cancelled"],
  running: ["running", "waiting", "stopped", "completed", "failed", "cancelled"],
  waiting: ["running", "stopped", "cancelled"],
  stopped: ["running", "stopped", "cancelled"],
  completed: [],
  failed: [],
  cancelled: [],
};

export function isFinished(status: RunStatus): boolean {
  return RUN_TRANSITIONS[status].length === 0;
}
