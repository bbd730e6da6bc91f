import { openIndexProjection } from "../views/feature-index/projection.ts";
import { readIndex } from "../views/feature-index/store.ts";
import { nodeFileSystem } from "../../host/files/file-system.ts";
import { checkoutFacts } from "../../host/git/checkout-facts.ts";
import { listGates } from "../judge/gates/precedence.ts";
import { openHolds } from "../turn/worktree-mutex/holds.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { checkApproval } from "../land/approval-holding.ts";
import { withExpectedVersion } from "./with-expected-version.ts";
import { qaView, updateQaOperation } from "../judge/qa-operations.ts";
import type { Call } from "../../record/operations/call.ts";
import { candidateOperation, type Candidate } from "../land/candidate.ts";
import { changeStatusOperation } from "./change-status.ts";
import { cleanOperation, cleanSurvey } from "../work/clean.ts";
import { dropAnchorsOperation, oldAnchors, type AnchorBound, type DropInput } from "../work/old-anchors.ts";
import { assertNotLive, deleteOperation, surveyDeletion, sweepFolder, type DeleteInput, type Deletion } from "../work/delete.ts";
import { featureReads } from "../views/reads.ts";
import { stageOperation } from "../work/stage.ts";
import { tagBaseOperation } from "../work/tag-base.ts";
import { commitOperation, ensureWorktreeOperation, rebaseOperation, repoMergeOperation } from "../work/repo-operations.ts";
import { featureContext, lastFailedLog, readTreeFile } from "../views/context.ts";
import { canonicalInit, initOperation } from "../work/init.ts";
import { patchTargets } from "../work/patch-targets.ts";
import { withQueueAndIndex } from "./with-queue-and-index.ts";
import { collisionMatrix } from "../plan/collision-matrix.ts";
import { keepLocks, reclaimStaleOperation, type KeepLocks } from "../turn/lock-upkeep.ts";
import { waitForLocks, type LockRequest } from "../turn/lock-waiting.ts";
import { acquireLocksOperation, locksFor, releaseLockOperation } from "../turn/lock-operations.ts";
import { adoptOperation, setAsideOperation } from "../work/hand-work.ts";
import { waiveCanaryOperation } from "../judge/canary/waiver.ts";
import { expectTestsOperation, waiveTestsOperation } from "../judge/expected-tests/expect-tests.ts";
import { latestEvidence } from "../judge/latest-evidence.ts";
import { mergeOperation } from "../land/merge.ts";
import { noteOperation } from "./note.ts";
import { requirePlan, submitPlanOperation } from "../plan/submit.ts";
import { updatePlanOperation } from "../plan/plan-update.ts";
import { openProjections } from "../views/projection.ts";
import { restartOperation } from "./restart.ts";
import { retryFacts } from "../work/retry-facts.ts";
import { retryOperation } from "../work/retry.ts";
import { mergeProposal, proposingMerge } from "../land/proposal.ts";
import { assertReady, factsToMerge } from "../land/merge-checks.ts";
import type { FeatureDependencies } from "./dependencies.ts";
import { acceptedPlan, findFeature } from "./store.ts";
import { giveBackOperation, waitOperation, wakeOperation } from "../turn/turns/operations.ts";
import { waitReads } from "../turn/turns/reads.ts";
import { setSessionsOperation } from "./sessions.ts";
import { workOn, worktreeOperations } from "../work/worktree-operations.ts";
import { statePatchOperation, versioned, type StatePatch } from "./state-patch.ts";

/** All operations on features. Each goes through the door; then the projections are written from the rows. */
export function featureOperations(dependencies: FeatureDependencies) {
  const projections = openProjections(dependencies);
  const index = openIndexProjection(dependencies, nodeFileSystem);

  async function perform<I extends { feature_id: string }, E, O>(operation: Operation<I, E, O>, call: Call, input: I): Promise<O> {
    const { expectedVersion } = call;
    return expectedVersion === undefined
      ? performFor([input.feature_id], operation, call, input)
      : performFor([input.feature_id], withExpectedVersion(dependencies, operation), call, {
          arguments: input,
          expected_version: expectedVersion,
        });
  }

  async function performFor<I, E, O>(features: readonly string[], operation: Operation<I, E, O>, call: Call, input: I): Promise<O> {
    const wrapped = withQueueAndIndex(dependencies, operation);
    const write = async () => {
      const changed = new Set([...features, ...wrapped.touched]);
      await Promise.all([...[...changed].map((id) => projections.write(id)), index.write()]);
    };
    try {
      const output = await dependencies.door.perform(wrapped.operation, call.actor, call.operationId, input);
      await write();
      return output;
    } catch (error) {
      if (wrapped.changedDespiteError()) await write();
      throw error;
    }
  }
  const bind =
    <I extends { feature_id: string }, E, O>(operation: Operation<I, E, O>) =>
    (call: Call, input: I) =>
      perform(operation, call, input);

  const atWork = workOn(openHolds(dependencies));
  const bindAtWork =
    <I extends { feature_id: string }, E, O>(operation: Operation<I, E, O>) =>
    (call: Call, input: I) =>
      atWork(operation.name, input.feature_id, () => perform(operation, call, input));

  return {
    init: bind(initOperation(dependencies)),
    initFromSpec: async (call: Call, { feature_id }: { feature_id: string }) =>
      perform(initOperation(dependencies), call, await canonicalInit(dependencies, feature_id)),
    acquireLocks: bind(acquireLocksOperation(dependencies)),
    /** One lock; waits for it up to the timeout of the policy or of the caller. */
    acquireLock: (call: Call, { resource, feature_id, wait_timeout_seconds }: LockRequest, signal?: AbortSignal) =>
      waitForLocks(dependencies, { resources: [resource], wait_timeout_seconds, signal }, () =>
        perform(acquireLocksOperation(dependencies), call, { feature_id, resources: [resource] }),
      ),
    releaseLock: bind(releaseLockOperation(dependencies)),
    keepLocks: (keep: KeepLocks) => keepLocks(dependencies, index, keep),
    /** For recovery, before any feature resumes. */
    reclaimStale: (call: Call, keep_for: readonly string[] = []) =>
      performFor([], reclaimStaleOperation(dependencies), call, { keep_for: [...keep_for] }),
    submitPlan: bind(submitPlanOperation(dependencies)),
    updatePlan: bind(updatePlanOperation(dependencies)),
    plan: (id: string) => requirePlan(dependencies.db, id),
    acceptedPlan: (id: string) => acceptedPlan(dependencies.db, id),
    /** Throws if a merge would be refused because of the feature's status or gates, with or without an approval. */
    assertReady: async (id: string) => assertReady(dependencies, await findFeature(dependencies.db, id), await factsToMerge(dependencies)),
    collisions: () => collisionMatrix(dependencies),
    index: () => readIndex(dependencies.db),
    ...worktreeOperations(dependencies, perform, atWork),
    candidate: bindAtWork(candidateOperation(dependencies)),
    adopt: bindAtWork(adoptOperation(dependencies)),
    setAside: bindAtWork(setAsideOperation(dependencies)),
    restart: bindAtWork(restartOperation(dependencies)),
    retry: bindAtWork(retryOperation(dependencies)),
    /** The results of an ended feature that a retry can reuse. */
    retryFacts: (id: string) => retryFacts(dependencies, id),
    merge: proposingMerge(dependencies, perform, bindAtWork(mergeOperation(dependencies))),
    /** The message that a client wants, before a person has approved it. */
    mergeProposal: (id: string) => mergeProposal(dependencies.db, id),
    expectTests: bind(expectTestsOperation),
    waiveTests: bind(waiveTestsOperation),
    waiveCanary: bind(waiveCanaryOperation),
    gates: (profile?: string) => listGates(dependencies.configuration.gates, profile),
    latestEvidence: (id: string) => latestEvidence(dependencies, id),
    qaIndex: (id: string) => qaView(dependencies.db, id),
    updateQaIndex: bind(updateQaOperation(dependencies)),
    changeStatus: bind(changeStatusOperation(dependencies)),
    /** Requires `expectedVersion`. */
    statePatch: (call: Call, input: StatePatch) => perform(statePatchOperation(dependencies), versioned(call), input),
    setSessions: bind(setSessionsOperation),
    note: bind(noteOperation(dependencies)),
    logAppend: (call: Call, { feature_id, note }: { feature_id: string; note: string }) =>
      perform(noteOperation(dependencies), call, { feature_id, role: call.actor.type, text: note }),
    ensureWorktree: bindAtWork(ensureWorktreeOperation(dependencies)),
    /** A lightweight tag at the base commit. */
    tagBase: bind(tagBaseOperation(dependencies)),
    /** Brings the worktree's own index to the recorded tree, as `git add -A` would. */
    stage: bindAtWork(stageOperation(dependencies)),
    repoCommit: bindAtWork(commitOperation(dependencies)),
    rebaseOntoMain: bindAtWork(rebaseOperation(dependencies)),
    repoMerge: proposingMerge(dependencies, perform, bindAtWork(repoMergeOperation(dependencies))),
    clean: bindAtWork(cleanOperation(dependencies)),
    cleanSurvey: (id: string) => cleanSurvey(dependencies, id),
    oldAnchors: (bound: AnchorBound) => oldAnchors(dependencies, bound),
    dropAnchors: (call: Call, input: DropInput) => performFor([], dropAnchorsOperation(dependencies), call, input),
    async delete(call: Call, input: DeleteInput): Promise<Deletion> {
      if (input.dry_run === true) return surveyDeletion(dependencies, call, input);
      const id = input.feature_id;
      await assertNotLive(dependencies, id);
      const { record: _record, ...deletion } = await atWork("feature.delete", id, () =>
        perform(deleteOperation(dependencies), call, input),
      );
      projections.forget(id);
      await sweepFolder(dependencies, id);
      return deletion;
    },
    wait: bind(waitOperation),
    giveBackLocks: bind(giveBackOperation(dependencies)),
    wake: bindAtWork(wakeOperation(dependencies)),
    ...waitReads(dependencies),
    locksFor: (plan: unknown) => locksFor(dependencies, plan),
    context: (id: string) => featureContext(dependencies, id),
    approvalHolding: (token: string, candidate: Candidate) => checkApproval(dependencies, token, candidate),
    ...featureReads(dependencies),
    /** At start-up: rewrites projections that are missing or were edited. Returns the features concerned. */
    async repairProjections(): Promise<string[]> {
      await index.repair();
      return projections.repair();
    },
    /** Rewrites missing projections only: cheap enough for every start. */
    async restoreProjections(): Promise<void> {
      await index.write();
      await projections.restore();
    },
    /** Of the user's checkout. */
    checkoutFacts: () => checkoutFacts(dependencies.repository),
    patchTargets: (id: string, unified_diff: string) => patchTargets(dependencies, id, unified_diff),
    lastFailedLog: (id: string) => lastFailedLog(dependencies, id),
    readTreeFile: (file: Parameters<typeof readTreeFile>[1]) => readTreeFile(dependencies, file),
  };
}

export type FeatureOperations = ReturnType<typeof featureOperations>;
