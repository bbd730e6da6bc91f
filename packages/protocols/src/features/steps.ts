import type { OperationResult } from "../change/change-run.ts";
import type { WorkerRole } from "../change/worker-role.ts";
import type { Reply } from "../dispatch/dispatcher.ts";
import { stepKind, type StepKind } from "../narration/step-kind.ts";
import type { WorkerOutput } from "./schemas.ts";

/** An invocation of each role. */
export const WORKER_STEPS: { readonly [R in WorkerRole]: StepKind<Reply<WorkerOutput<R>>, `${R}:*`> } = {
  planner: stepKind("planner:*").records(),
  builder: stepKind("builder:*").records(),
  qa: stepKind("qa:*").records(),
};

/** The other steps that the narration shows, in addition to those of every change. */
export const FEATURE_STEPS = {
  retry: stepKind("retry").records<OperationResult<{ readonly plan_version: number | null }>>(),
  retryAgain: stepKind("retry-*").records<OperationResult<{ readonly plan_version: number | null }>>(),
  testPatch: stepKind("qa-patch:*").records<OperationResult<{ readonly tree: string }>>(),
  verdicts: stepKind("verdicts:*").records<OperationResult<unknown>>(),
} as const;
