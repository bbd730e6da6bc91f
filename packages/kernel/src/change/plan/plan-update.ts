import { SlipwayError } from "@slipway/durable/errors";
import { z } from "zod";
import { rolesFor } from "../../config/rbac.ts";
import type { Operation } from "../../record/operations/operation.ts";
import type { Plan } from "./schema.ts";
import type { Proposal } from "../turn/queue/enqueue.ts";
import { proposalFor, readPlan } from "./plan-checks.ts";
import { decide, planJson, requirePlan } from "./submit.ts";
import type { Rooms } from "../feature/dependencies.ts";
import { findFeature } from "../feature/store.ts";

const updateInput = z.strictObject({ feature_id: z.string(), expected_plan_version: z.int().min(1), plan_json: planJson });

/** A revision of the accepted plan, by the same checks; until it is accepted the old one stays in force. */
export function updatePlanOperation(rooms: Rooms): Operation<z.infer<typeof updateInput>, Proposal, Plan> {
  return {
    name: "plan.update",
    roles: rolesFor(rooms.configuration.policy.rbac, "plan.update"),
    input: updateInput,
    unclaimed: true,
    effect: async ({ feature_id, plan_json }) => proposalFor(rooms, await findFeature(rooms.db, feature_id), readPlan(plan_json)),
    async commit(tx, { feature_id, expected_plan_version }, proposal, call) {
      const feature = await findFeature(tx, feature_id);
      const { plan_version } = await requirePlan(tx, feature_id);
      if (plan_version !== expected_plan_version) throw stale(feature_id, expected_plan_version, plan_version);
      return decide(tx, rooms, feature, proposal, call);
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
    `The accepted plan of "${feature_id}" has version ${actual}, not ${expected}. Nothing was done.`,
    {
      feature_id,
      expected_plan_version: expected,
      actual_plan_version: actual,
      suggested_next_actions: [`Read it with plan.get, and send a plan with plan_version ${actual + 1} and revision_of ${actual}.`],
    },
  );
}
