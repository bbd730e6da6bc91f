import { z } from "zod";
import { planJson } from "../change/plan/submit.ts";
import { planSchema, type Plan } from "../change/plan/schema.ts";
import { jsonSchemaOf } from "./schemas.ts";
import { tool } from "./tool.ts";

const featureId = z.string().min(1).describe("The feature's id, as feature.discover_specs lists it.");

/** Shown to callers with every field. The kernel itself reports all violations at once, with the code of each rule. */
const shownPlan = planJson.meta({
  ...withoutDialect(jsonSchemaOf(planSchema, "input")),
  description: "The whole plan, not a difference to an earlier one.",
});

const acceptedPlan = z.strictObject({ plan_version: z.int().min(1), plan: planSchema });
const answer = (plan: Plan) => ({ data: { plan_version: plan.plan_version, plan } });

const CHECKS = [
  "The plan is checked against its schema, the policy (allowed, forbidden and protected areas, file lists against the base commit, gate profile),",
  "the locks it needs, and the accepted plans of all other features that have not ended.",
  "A contract change or a file in a protected area needs its lock first: lock_not_held names the resources to pass to locks.acquire.",
  "Two plans may not name the same file, touch the same protected or exclusive area, or change the same contract:",
  "otherwise it fails with collision_detected and nothing is stored, or, if the policy says block, with blocked_by_collision_policy:",
  "the feature is blocked, and the plan is accepted automatically as soon as nothing collides.",
].join(" ");

export const planTools = [
  tool({
    name: "plan.submit",
    kind: "mutating",
    description: [
      "Submits the first plan of a feature: which files it will create, modify and delete, and what it must achieve. Patches are judged against it.",
      "Use it once per feature; plan_version is 1 and there is no revision_of.",
      CHECKS,
      "On acceptance the feature moves from planning to building, and the stored plan is returned with canonical paths.",
      "Fails with version_conflict if the feature already has an accepted plan: use plan.update.",
    ].join(" "),
    input: z.strictObject({ feature_id: featureId, plan_json: shownPlan }),
    output: acceptedPlan,
    call: async (kernel, input, call) => answer(await kernel.features.submitPlan(call, input)),
  }),
  tool({
    name: "plan.update",
    kind: "mutating",
    description: [
      "Replaces the accepted plan of a feature with a revision, for example when a file is needed that the plan does not list.",
      "Pass the version you have read as expected_plan_version; in plan_json, plan_version is that plus 1 and revision_of is that version.",
      CHECKS,
      "Until the revision is accepted the old plan stays valid. The files in the worktree do not change; later patches are judged by the new plan only.",
      "Returns the stored plan. Fails with version_conflict if the accepted plan has another version by now, and with plan_not_found if there is none.",
    ].join(" "),
    input: z.strictObject({
      feature_id: featureId,
      expected_plan_version: z.int().min(1).describe("The version of the accepted plan, from plan.get."),
      plan_json: shownPlan,
    }),
    output: acceptedPlan,
    call: async (kernel, input, call) => answer(await kernel.features.updatePlan(call, input)),
  }),
  tool({
    name: "plan.get",
    kind: "read",
    description:
      "Returns the accepted plan of a feature, by which patches are judged. Fails with plan_not_found if none is accepted yet, also while a plan waits in the queue.",
    input: z.strictObject({ feature_id: featureId }),
    output: acceptedPlan,
    call: async (kernel, { feature_id }) => answer(await kernel.features.plan(feature_id)),
  }),
];

function withoutDialect({ $schema: _dialect, ...schema }: ReturnType<typeof jsonSchemaOf>) {
  return schema;
}
