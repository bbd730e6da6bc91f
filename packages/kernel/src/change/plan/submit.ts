import { SlipwayError } from "../../schema/errors.ts";
import { z } from "zod";
import { rolesFor } from "../../config/rbac.ts";
import type { Db, Tx } from "../../record/database/tables.ts";
import type { OperationCall, Operation, Refusal } from "../../record/operations/operation.ts";
import { judgePlan } from "./judge.ts";
import type { Plan } from "./schema.ts";
import { enqueue, type QueueProposal, type QueueWait } from "../turn/queue/enqueue.ts";
import { queuedEntry, type QueueEntry } from "../turn/queue/store.ts";
import { acceptPlan, planFacts, proposalFor, readPlan } from "./plan-checks.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { ENDED } from "../feature/status.ts";
import { acceptedPlan, findFeature, type Feature } from "../feature/store.ts";

export const planJson = z.record(z.string(), z.unknown());
const submitInput = z.strictObject({ feature_id: z.string(), plan_json: planJson });

/** Submits the first plan of a feature. Checks schema, policy, locks and collisions, and accepts it in one transaction. */
export function submitPlanOperation(dependencies: FeatureDependencies): Operation<z.infer<typeof submitInput>, QueueProposal, Plan> {
  return {
    name: "plan.submit",
    roles: rolesFor(dependencies.configuration.policy.rbac, "plan.submit"),
    input: submitInput,
    unclaimed: true,
    effect: async ({ feature_id, plan_json }) =>
      proposalFor(dependencies, await findFeature(dependencies.db, feature_id), readPlan(plan_json)),
    async commit(tx, { feature_id }, proposal, call) {
      const feature = await findFeature(tx, feature_id);
      const current = await acceptedPlan(tx, feature_id);
      if (current !== null) {
        throw new SlipwayError("version_conflict", `The feature "${feature_id}" already has an accepted plan.`, {
          feature_id,
          actual_plan_version: current.plan_version,
          suggested_next_actions: [`Use plan.update with expected_plan_version ${current.plan_version} to revise it.`],
        });
      }
      return decide(tx, dependencies, feature, proposal, call);
    },
    event: ({ feature_id }, { plan_version, files }) => ({ feature_id, plan_version, files }),
  };
}

/** Checks a plan and applies the verdict: accepted, refused without a change, or queued. */
export async function decide(
  tx: Tx,
  dependencies: FeatureDependencies,
  feature: Feature,
  proposal: QueueProposal,
  { at }: OperationCall,
): Promise<Plan | Refusal> {
  const waiting = await queuedEntry(tx, feature.id);
  const queued = waiting !== null;
  const facts = await planFacts(tx, dependencies, feature, proposal, at);
  assertOpen(feature, queued, facts.currentVersion);
  const verdict = judgePlan(proposal.plan, facts);
  if (verdict.answer === "refuse") throw verdict.error;
  if (verdict.answer === "wait")
    return enqueue(tx, feature, proposal, verdict, await queuePosition(tx, dependencies, feature, waiting, verdict, at));
  await acceptPlan(tx, dependencies, feature, proposal.plan, { queued, reason: "the plan was accepted" }, at);
  return proposal.plan;
}

/** A plan with the same collisions keeps its position in the queue. Both plans are compared under the current claims and locks. */
async function queuePosition(
  tx: Tx,
  dependencies: FeatureDependencies,
  feature: Feature,
  waiting: QueueEntry | null,
  { report }: QueueWait,
  at: number,
): Promise<{ at: number; detectedAt: number }> {
  if (waiting === null) return { at, detectedAt: at };
  const before = { plan: waiting.plan, base: waiting.base_commit, existing: waiting.files_at_base };
  const verdict = judgePlan(waiting.plan, await planFacts(tx, dependencies, feature, before, at));
  const same = verdict.answer === "wait" && verdict.report.fingerprint === report.fingerprint;
  return { at, detectedAt: same ? waiting.detected_at : at };
}

/** A first plan starts the building phase. Not allowed for a feature that has ended, or is blocked for another reason than its plan. */
function assertOpen({ id, status, status_reason }: Feature, queued: boolean, currentVersion: number): void {
  const closed = ENDED.includes(status) || (status === "blocked" && currentVersion === 0 && !queued);
  if (!closed) return;
  const unblock = `Unblock it with feature.state_patch (status "planning" and a new status_reason), then submit again.`;
  throw new SlipwayError(
    "invalid_status_transition",
    `"${id}" is ${status}${status_reason === "" ? "" : ` (${status_reason})`}: it cannot accept a plan now.`,
    {
      from: status,
      to: "building",
      suggested_next_actions: status === "blocked" ? [unblock] : [],
    },
  );
}

/** The latest accepted plan. */
export async function requirePlan(db: Db | Tx, feature_id: string): Promise<Plan> {
  await findFeature(db, feature_id);
  const plan = await acceptedPlan(db, feature_id);
  if (plan !== null) return plan;
  throw new SlipwayError("plan_not_found", `The feature "${feature_id}" has no accepted plan.`, {
    feature_id,
    suggested_next_actions: ["Submit one with plan.submit."],
  });
}
