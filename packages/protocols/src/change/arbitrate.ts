import type { Failure } from "@slipway/durable/errors";
import type { Plan } from "@slipway/kernel/change/plan/schema";
import { z } from "zod";
import { nextActions } from "../dispatch/pauses.ts";
import { mustPerform } from "./perform.ts";
import { giveBackLocks } from "./locks.ts";
import { conflictingIn, resourcesIn, ruleOn, type Collided } from "./collision-rules.ts";
import { endSession } from "./sessions.ts";
import type { ChangeRun } from "./change-run.ts";
import { CHANGE_STEPS } from "./steps.ts";

interface Case {
  readonly purpose: Collided["purpose"];
  readonly plan: Plan;
  readonly failure: Failure;
  readonly waited: number;
}

/** What happens to a refused plan. `accepted` means that the queue accepted it while the feature waited. */
export type PlanRuling = "submit again" | "given up" | { readonly revise: Failure } | { readonly accepted: Plan };

/** Another feature causes these refusals. With any other code, the plan itself is wrong. */
const COLLIDED: ReadonlySet<string> = new Set(["collision_detected", "blocked_by_collision_policy", "lock_conflict"]);

/** Decides by rules, without a model, whether a refused plan waits, is revised, or becomes a question. */
export async function arbitrate(change: ChangeRun, name: string, { purpose, plan, failure, waited }: Case): Promise<PlanRuling> {
  // Release the locks first: other features can use them while this one waits or plans again.
  await giveBackLocks(change, name, plan);
  if (!COLLIDED.has(failure.code)) return { revise: failure };
  const place = (id: string) => change.siblings.findIndex(({ feature_id }) => feature_id === id);
  const inTheWay = conflictingIn(failure).map((id) => ({ feature_id: id, place: place(id) === -1 ? null : place(id) }));
  const ruling = ruleOn({ purpose, place: place(change.id), inTheWay, waited });
  if (ruling === "revise") return { revise: failure };
  if (ruling === "ask") return ask(change, name, purpose, plan, failure);
  return failure.code === "blocked_by_collision_policy"
    ? waitInQueue(change, name, purpose, plan, failure)
    : waitFor(change, name, purpose, plan, failure);
}

async function waitFor(change: ChangeRun, name: string, purpose: Case["purpose"], plan: Plan, failure: Failure): Promise<PlanRuling> {
  const { features } = change.services.kernel;
  const blockers = conflictingIn(failure);
  const others = blockers.join(", ");
  const reason = `waits for ${others}: ${resourcesIn(failure).join(", ")}`;
  if (purpose === "submit") await endSession(change, "planner", `wait:${name}`, "blocked");
  await mustPerform(change, CHANGE_STEPS.wait.named(name), (call) =>
    features.wait(call, { feature_id: change.id, plan_json: plan, blockers, reason }),
  );
  const { onto } = await change.ctx.until(`waited:${name}`, () => features.endOf(change.siblings, blockers));
  await wake(change, name, onto, `resumed: ${others} ended`);
  // Rebase unfinished work onto the moved base. Conflicts become a question when the feature lands.
  if (purpose === "update") await mustPerform(change, `carry:${name}`, (call) => features.candidate(call, { feature_id: change.id }));
  return "submit again";
}

/** Under `collision_policy: block` the kernel accepts the queued plan itself once nothing conflicts with it. */
async function waitInQueue(change: ChangeRun, name: string, purpose: Case["purpose"], plan: Plan, failure: Failure): Promise<PlanRuling> {
  const { features } = change.services.kernel;
  const blockers = conflictingIn(failure);
  const dequeued = await change.ctx.until(`queued:${name}`, () => features.endOfQueueing(change.siblings, change.id, blockers));
  const { accepted, onto, status_reason: reason } = dequeued;
  if (accepted === null) return ask(change, name, purpose, plan, { ...failure, message: reason });
  await wake(change, name, onto, reason);
  return { accepted };
}

/** Moves the feature to the current base unless it has already built something. */
async function wake(change: ChangeRun, name: string, onto: string | null, reason: string): Promise<void> {
  await mustPerform(change, CHANGE_STEPS.wake.named(name), (call) =>
    change.services.kernel.features.wake(call, { feature_id: change.id, onto, reason }),
  );
}

const LABELS = {
  retry: "submit the same plan again (the conflicting feature has ended)",
  revise: "ask the planner for another plan, or for a part that can land first",
  give_up: "end this feature; its work stays reachable",
};

async function ask(change: ChangeRun, name: string, purpose: Case["purpose"], plan: Plan, failure: Failure): Promise<PlanRuling> {
  const { features } = change.services.kernel;
  const blockers = conflictingIn(failure);
  // A builder can continue without the amendment, so an update offers no end of the feature.
  const decisions = purpose === "submit" ? (["retry", "revise", "give_up"] as const) : (["retry", "revise"] as const);
  const answer = await change.ctx.ask(`collision:${name}`, {
    kind: "collision",
    title: `The plan of ${change.id} collides with ${blockers.join(", ")}`,
    body: [failure.message, ...nextActions(failure)].join("\n"),
    options: decisions.map((value) => ({ value, label: LABELS[value] })),
    schema: z.strictObject({ decision: z.enum(decisions), comment: z.string().optional() }),
    context: { feature_id: change.id, conflicting_feature_ids: blockers, resources: resourcesIn(failure) },
  });
  if (answer.decision === "retry") {
    // The queue may have accepted the plan while the question was open.
    const { onto, accepted } = await change.ctx.step(`ended:${name}`, async () => {
      const current = await features.acceptedPlan(change.id);
      const ended = await features.endOf(change.siblings, blockers);
      return { onto: ended?.onto ?? null, accepted: current?.plan_version === plan.plan_version ? current : null };
    });
    await wake(change, name, onto, "resumed by a person");
    return accepted === null ? "submit again" : { accepted };
  }
  if (answer.decision === "revise") return { revise: { ...failure, message: `${failure.message}\n${answer.comment ?? ""}`.trimEnd() } };
  const reason = answer.comment ?? "given up by a person";
  await mustPerform(change, `give-up:${name}`, (call) => features.changeStatus(call, { feature_id: change.id, to: "failed", reason }));
  return "given up";
}
