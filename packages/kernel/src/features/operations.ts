import type { Operation } from "../operations/operation.ts";
import { approvalHolds } from "../approvals/holds.ts";
import { peekApproval } from "../approvals/token.ts";
import { atVersion } from "./at-version.ts";
import { applyPatchOperation } from "./patch.ts";
import type { Call } from "./call.ts";
import { candidateOperation, type Candidate } from "./candidate.ts";
import { changeStatusOperation } from "./change-status.ts";
import { featureContext, lastFailedLog, readTreeFile } from "./context.ts";
import { runGatesOperation } from "./gate.ts";
import { initOperation } from "./init.ts";
import { acquireLocksOperation, locksFor } from "./locks.ts";
import { mergeOperation } from "./merge.ts";
import { noteOperation } from "./note.ts";
import { submitPlanOperation } from "./plan.ts";
import { project } from "./projection.ts";
import { restartOperation } from "./restart.ts";
import type { Rooms } from "./rooms.ts";

/** Every way to change a feature. Each comes through the door, then the files for people are written from the rows. */
export function featureOperations(rooms: Rooms) {
  async function perform<I extends { feature_id: string }, E, O>(operation: Operation<I, E, O>, call: Call, input: I): Promise<O> {
    const { actor, operationId, expectedVersion } = call;
    const output =
      expectedVersion === undefined
        ? await rooms.door.perform(operation, actor, operationId, input)
        : await rooms.door.perform(atVersion(rooms, operation), actor, operationId, { arguments: input, expected_version: expectedVersion });
    await project(rooms, input.feature_id);
    return output;
  }
  const bind =
    <I extends { feature_id: string }, E, O>(operation: Operation<I, E, O>) =>
    (call: Call, input: I) =>
      perform(operation, call, input);

  return {
    init: bind(initOperation(rooms)),
    acquireLocks: bind(acquireLocksOperation(rooms)),
    submitPlan: bind(submitPlanOperation(rooms)),
    applyPatch: bind(applyPatchOperation(rooms)),
    runGates: (call: Call, input: { feature_id: string; mode: string }, signal?: AbortSignal) =>
      perform(runGatesOperation(rooms, signal), call, input),
    changeStatus: bind(changeStatusOperation(rooms)),
    note: bind(noteOperation),
    candidate: bind(candidateOperation(rooms)),
    restart: bind(restartOperation(rooms)),
    merge: bind(mergeOperation(rooms)),
    locksFor: (plan: unknown) => locksFor(rooms, plan),
    context: (id: string) => featureContext(rooms, id),
    /** Whether an approval given for an earlier candidate still holds for this one; the merge itself checks again, with the signature. */
    approvalHolds: (token: string, { feature_id, change, tree, base, policy_hash }: Candidate): boolean => {
      const approved = peekApproval(token);
      const candidate = { feature: feature_id, change, tree, base, policyHash: policy_hash, overlap: [] };
      return approved !== null && approvalHolds(approved, candidate, rooms.clock.now()).holds;
    },
    lastFailedLog: (id: string) => lastFailedLog(rooms, id),
    readTreeFile: (file: Parameters<typeof readTreeFile>[1]) => readTreeFile(rooms, file),
  };
}

export type FeatureOperations = ReturnType<typeof featureOperations>;
