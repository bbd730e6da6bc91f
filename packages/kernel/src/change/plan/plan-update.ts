import { SlipwayError } from "../../schema/errors.ts";
import { z } from "zod";
import { rolesFor } from "../../config/rbac.ts";
import type { Operation } from "../../record/operations/operation.ts";
import type { Plan } from "./schema.ts";
import type { QueueProposal } from "../turn/queue/enqueue.ts";
import { proposalFor, readPlan } from "./plan-checks.ts";
import { decide, planJson, requirePlan } from "./submit.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { findFeature } from "../feature/store.ts";

const updateInput = z.strictObject({ feature_id: z.string(), expected_plan_version: z.int().min(1), plan_json: planJson });

/** Revises the accepted plan with the same checks. The old plan stays in force until the new one is accepted. */
export function updatePlanOperation(dependencies: FeatureDependencies): Operation<z.infer<typeof updateInput>, QueueProposal, Plan> {
  return {
    name: "plan.update",
    roles: rolesFor(dependencies.configuration.policy.rbac, "plan.update"),
    input: updateInput,
    unclaimed: true,
    effect: async ({ feature_id, plan_json }) =>
      proposalFor(dependencies, await findFeature(dependencies.db, feature_id), readPlan(plan_json)),
    async commit(tx, { feature_id, expected_plan_version }, proposal, call) {
      const feature = await findFeature(tx, feature_id);
      const { plan_version } = await requirePlan(tx, feature_id);
      if (plan_version !== expected_plan_version) throw stale(feature_id, expected_plan_version, plan_version);
      return decide(tx, dependencies, feature, proposal, call);
    },
    event: ({ feature_id }, { plan_version, revision_reason, files }) => ({
      feature_id,
      plan_version,
      revision_reason: revision_reason ?? null,
      files,
    }),
  };
}

function stale(feature_id: string, expected: number, actual: number): SlipwayError {
  return new SlipwayError(
    "version_conflict",
    `The accepted plan of "${feature_id}" has version ${actual}, not ${expected}. Nothing was changed.`,
    {
      feature_id,
      expected_plan_version: expected,
      actual_plan_version: actual,
      suggested_next_actions: [`Read it with plan.get, then send a plan with plan_version ${actual + 1} and revision_of ${actual}.`],
    },
  );
}
