import type { Policy } from "./policy.ts";

const MANY_PROCESSORS = 8;

/** The supervisor's settings with every default filled in; the number of processors decides one of them. */
export function supervisorSettings(policy: Policy, processors: number) {
  const { supervisor, locks } = policy;
  return {
    max_active_features: supervisor.max_active_features,
    max_parallel_gate_runs: supervisor.max_parallel_gate_runs ?? (processors >= MANY_PROCESSORS ? 3 : 2),
    max_iterations_per_phase: supervisor.max_iterations_per_phase,
    lock_wait_timeout_seconds: supervisor.lock_wait_timeout_seconds ?? locks.default_wait_timeout_seconds,
    lock_acquire_backoff_seconds: supervisor.lock_acquire_backoff_seconds ?? locks.acquire_backoff,
  };
}
