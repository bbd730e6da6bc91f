import { openIndexProjection } from "../views/feature-index/projection.ts";
import { readIndex } from "../views/feature-index/store.ts";
import { nodeFileSystem } from "../../host/files/file-system.ts";
import { listGates } from "../judge/gates/precedence.ts";
import { openHolds } from "../turn/worktree-mutex/holds.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { holdingOf } from "../land/approval-holding.ts";
import { atVersion } from "./with-expected-version.ts";
import { qaView, updateQaOperation } from "../judge/qa-operations.ts";
import type { Call } from "../../record/operations/call.ts";
import { candidateOperation, type Candidate } from "../land/candidate.ts";
import { changeStatusOperation } from "./change-status.ts";
import { cleanOperation, cleanSurvey } from "../work/clean.ts";
import { assertNotLive, deleteOperation, surveyDeletion, sweepFolder, type DeleteInput, type Deletion } from "../work/delete.ts";
import { featureReads } from "../views/reads.ts";
import { commitOperation, ensureWorktreeOperation, rebaseOperation, repoMergeOperation } from "../work/repo-operations.ts";
import { featureContext, lastFailedLog, readTreeFile } from "../views/context.ts";
import { canonicalInit, initOperation } from "../work/init.ts";
import { closing } from "./with-queue-and-index.ts";
import { collisionMatrix } from "../plan/collision-matrix.ts";
import { keepLocks, reclaimStaleOperation, type KeepLocks } from "../turn/lock-upkeep.ts";
import { waitForLocks, type LockRequest } from "../turn/lock-waiting.ts";
import { acquireLocksOperation, locksFor, releaseLockOperation } from "../turn/lock-operations.ts";
import { adoptOperation, setAsideOperation } from "../work/hand-work.ts";
import { latestEvidence } from "../judge/latest-evidence.ts";
import { mergeOperation } from "../land/merge.ts";
import { noteOperation } from "./note.ts";
import { requirePlan, submitPlanOperation } from "../plan/submit.ts";
import { updatePlanOperation } from "../plan/plan-update.ts";
import { openProjections } from "../views/projection.ts";
import { restartOperation } from "./restart.ts";
import { retryFacts } from "../work/retry-facts.ts";
import { retryOperation } from "../work/retry.ts";
import { assertReady } from "../land/merge-checks.ts";
import type { Rooms } from "./dependencies.ts";
import { acceptedPlan, findFeature } from "./store.ts";
import { giveBackOperation, waitOperation, wakeOperation } from "../turn/turns/operations.ts";
import { waitReads } from "../turn/turns/reads.ts";
import { setSessionsOperation } from "./sessions.ts";
import { workOn, worktreeOperations } from "../work/worktree-operations.ts";
import { statePatchOperation, versioned, type StatePatch } from "./state-patch.ts";

/** Every way to change a feature. Each comes through the door, then the files for people are written from the rows. */
export function featureOperations(rooms: Rooms) {
  const projections = openProjections(rooms);
  const index = openIndexProjection(rooms, nodeFileSystem);

  async function perform<I extends { feature_id: string }, E, O>(operation: Operation<I, E, O>, call: Call, input: I): Promise<O> {
    const { expectedVersion } = call;
    return expectedVersion === undefined
      ? performFor([input.feature_id], operation, call, input)
      : performFor([input.feature_id], atVersion(rooms, operation), call, { arguments: input, expected_version: expectedVersion });
  }

  async function performFor<I, E, O>(features: readonly string[], operation: Operation<I, E, O>, call: Call, input: I): Promise<O> {
    const closed = closing(rooms, operation);
    const write = async () => {
      const changed = new Set([...features, ...closed.touched]);
      await Promise.all([...[...changed].map((id) => projections.write(id)), index.write()]);
    };
    try {
      const output = await rooms.door.perform(closed.operation, call.actor, call.operationId, input);
      await write();
      return output;
    } catch (error) {
      if (closed.kept()) await write();
      throw error;
    }
  }
  const bind =
    <I extends { feature_id: string }, E, O>(operation: Operation<I, E, O>) =>
    (call: Call, input: I) =>
      perform(operation, call, input);

  const atWork = workOn(openHolds(rooms));
  const bindAtWork =
    <I extends { feature_id: string }, E, O>(operation: Operation<I, E, O>) =>
    (call: Call, input: I) =>
      atWork(operation.name, input.feature_id, () => perform(operation, call, input));

  return {
    init: bind(initOperation(rooms)),
    initFromSpec: async (call: Call, { feature_id }: { feature_id: string }) =>
      perform(initOperation(rooms), call, await canonicalInit(rooms, feature_id)),
    acquireLocks: bind(acquireLocksOperation(rooms)),
    /** One lock, waiting for it as long as the policy and the caller say. */
    acquireLock: (call: Call, { resource, feature_id, wait_timeout_seconds }: LockRequest, signal?: AbortSignal) =>
      waitForLocks(rooms, { resources: [resource], wait_timeout_seconds, signal }, () =>
        perform(acquireLocksOperation(rooms), call, { feature_id, resources: [resource] }),
      ),
    releaseLock: bind(releaseLockOperation(rooms)),
    keepLocks: (keep: KeepLocks) => keepLocks(rooms, index, keep),
    /** At recovery, before anything goes on. */
    reclaimStale: (call: Call, keep_for: readonly string[] = []) =>
      performFor([], reclaimStaleOperation(rooms), call, { keep_for: [...keep_for] }),
    submitPlan: bind(submitPlanOperation(rooms)),
    updatePlan: bind(updatePlanOperation(rooms)),
    plan: (id: string) => requirePlan(rooms.db, id),
    acceptedPlan: (id: string) => acceptedPlan(rooms.db, id),
    /** Throws when a merge would be refused for the feature's status or gates, whoever approved it. */
    assertReady: async (id: string) => assertReady(rooms, await findFeature(rooms.db, id)),
    collisions: () => collisionMatrix(rooms),
    index: () => readIndex(rooms.db),
    ...worktreeOperations(rooms, perform, atWork),
    candidate: bindAtWork(candidateOperation(rooms)),
    adopt: bindAtWork(adoptOperation(rooms)),
    setAside: bindAtWork(setAsideOperation(rooms)),
    restart: bindAtWork(restartOperation(rooms)),
    retry: bindAtWork(retryOperation(rooms)),
    /** What stands of a feature that has ended. */
    retryFacts: (id: string) => retryFacts(rooms, id),
    merge: bindAtWork(mergeOperation(rooms)),
    gates: (profile?: string) => listGates(rooms.configuration.gates, profile),
    latestEvidence: (id: string) => latestEvidence(rooms, id),
    qaIndex: (id: string) => qaView(rooms.db, id),
    updateQaIndex: bind(updateQaOperation(rooms)),
    changeStatus: bind(changeStatusOperation(rooms)),
    /** Says which version of the state it has seen, or is refused. */
    statePatch: (call: Call, input: StatePatch) => perform(statePatchOperation(rooms), versioned(call), input),
    setSessions: bind(setSessionsOperation),
    note: bind(noteOperation(rooms)),
    logAppend: (call: Call, { feature_id, note }: { feature_id: string; note: string }) =>
      perform(noteOperation(rooms), call, { feature_id, role: call.actor.type, text: note }),
    ensureWorktree: bindAtWork(ensureWorktreeOperation(rooms)),
    repoCommit: bindAtWork(commitOperation(rooms)),
    rebaseOntoMain: bindAtWork(rebaseOperation(rooms)),
    repoMerge: bindAtWork(repoMergeOperation(rooms)),
    clean: bindAtWork(cleanOperation(rooms)),
    cleanSurvey: (id: string) => cleanSurvey(rooms, id),
    async delete(call: Call, input: DeleteInput): Promise<Deletion> {
      if (input.dry_run === true) return surveyDeletion(rooms, call, input);
      const id = input.feature_id;
      await assertNotLive(rooms, id);
      const { record: _record, ...deletion } = await atWork("feature.delete", id, () => perform(deleteOperation(rooms), call, input));
      projections.forget(id);
      await sweepFolder(rooms, id);
      return deletion;
    },
    wait: bind(waitOperation),
    giveBackLocks: bind(giveBackOperation(rooms)),
    wake: bindAtWork(wakeOperation(rooms)),
    ...waitReads(rooms),
    locksFor: (plan: unknown) => locksFor(rooms, plan),
    context: (id: string) => featureContext(rooms, id),
    approvalHolding: (token: string, candidate: Candidate) => holdingOf(rooms, token, candidate),
    ...featureReads(rooms),
    /** At start-up: rewrites what is missing or was edited by hand. Returns the features that needed it. */
    async repairProjections(): Promise<string[]> {
      await index.repair();
      return projections.repair();
    },
    /** The same for what is missing alone: cheap enough for every start. */
    async restoreProjections(): Promise<void> {
      await index.write();
      await projections.restore();
    },
    lastFailedLog: (id: string) => lastFailedLog(rooms, id),
    readTreeFile: (file: Parameters<typeof readTreeFile>[1]) => readTreeFile(rooms, file),
  };
}

export type FeatureOperations = ReturnType<typeof featureOperations>;
