import { SlipwayError } from "@slipway/durable/errors";
import { z } from "zod";
import type { Operation } from "../operations/operation.ts";
import { parseInput } from "../operations/operation.ts";
import { checkPlan } from "../plans/check.ts";
import { planSchema, type Plan } from "../plans/schema.ts";
import { refusal } from "../plans/violation.ts";
import { listFiles } from "./context.ts";
import { locksInForce } from "./locks.ts";
import type { Rooms } from "./rooms.ts";
import { assertTransition } from "./status.ts";
import { acceptedPlan, findFeature, gateMap, updateFeature } from "./store.ts";

const submitInput = z.strictObject({ feature_id: z.string(), plan_json: z.record(z.string(), z.unknown()) });

/** Schema, then policy; accepted in one transaction or not at all. */
export function submitPlanOperation(rooms: Rooms): Operation<z.infer<typeof submitInput>, string[], Plan> {
  const { configuration } = rooms;
  return {
    name: "plan.submit",
    roles: ["orchestrator", "planner", "system"],
    input: submitInput,
    effect: async ({ feature_id }) => {
      const { base_commit } = await findFeature(rooms.db, feature_id);
      return (await listFiles(rooms, base_commit)).map(({ path }) => path);
    },
    async commit(tx, { feature_id, plan_json }, paths, { at }) {
      const atBase = new Set(paths);
      const feature = await findFeature(tx, feature_id);
      if ((await acceptedPlan(tx, feature_id)) !== null) {
        throw new SlipwayError("version_conflict", `The feature "${feature_id}" already has an accepted plan.`, {
          suggested_next_actions: ["Use plan.update to revise it."],
        });
      }
      const plan = parseInput({ name: "plan.submit", input: planSchema }, { gate_profile: "default", ...plan_json });
      const violations = checkPlan(plan, {
        featureId: feature_id,
        policy: configuration.policy,
        gates: configuration.gates,
        currentVersion: 0,
        heldLocks: await locksInForce(tx, feature_id, at),
        existsAtBase: (path) => atBase.has(path),
      });
      if (violations.length > 0) throw refusal("The plan", violations);
      await tx
        .insertInto("plans")
        .values({ feature_id, plan_version: plan.plan_version, plan: JSON.stringify(plan), accepted_at: at })
        .execute();
      const facts = { planAccepted: true, fastPassed: false, fullPassed: false, reason: "", reasonChanged: false, landed: false };
      assertTransition(feature.status, "building", facts);
      const gates = JSON.stringify({ ...gateMap(feature), plan: "pass" });
      await updateFeature(
        tx,
        feature,
        { status: "building", status_reason: "the plan was accepted", gate_profile: plan.gate_profile, gates },
        at,
      );
      return plan;
    },
    event: ({ feature_id }, { plan_version, files }) => ({ feature_id, plan_version, files }),
  };
}
