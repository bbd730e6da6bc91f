import type { GateSummary } from "@slipway/kernel/change/judge/gate";
import type { Candidate } from "@slipway/kernel/change/land/candidate";
import type { Landing } from "@slipway/kernel/change/land/merge";
import type { Plan } from "@slipway/kernel/change/plan/schema";
import { stepKind } from "../narration/step-kind.ts";
import type { OperationResult } from "./change-run.ts";

/** The candidate, and whether the approval covers it. */
export interface CheckedCandidate extends Candidate {
  readonly holds: boolean;
  /** Why the approval does not cover it. */
  readonly why: string | null;
}

/** The steps of a change that the narration shows. */
export const CHANGE_STEPS = {
  init: stepKind("init").records<OperationResult<unknown>>(),
  plan: stepKind("plan:*").records<OperationResult<Plan>>(),
  wait: stepKind("wait:*").records<OperationResult<{ readonly reason: string }>>(),
  wake: stepKind("wake:*").records<OperationResult<unknown>>(),
  patch: stepKind("patch:*").records<OperationResult<{ readonly tree: string }>>(),
  gates: stepKind("gates:*:*").records<OperationResult<GateSummary>>(),
  block: stepKind("block:*").records<OperationResult<unknown>>(),
  ready: stepKind("ready:*").records<OperationResult<unknown>>(),
  candidate: stepKind("candidate:*").records<OperationResult<CheckedCandidate>>(),
  merge: stepKind("merge:*").records<OperationResult<Landing>>(),
} as const;
