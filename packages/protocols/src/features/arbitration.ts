import type { Failure } from "@slipway/durable/errors";
import type { Plan } from "@slipway/kernel/change/plan/schema";
import { z } from "zod";
import { nextActions } from "../pausing.ts";
import { certain } from "./attempt.ts";
import { giveBackLocks } from "./locks.ts";
import { conflictingIn, resourcesIn, ruleOn, type Collided } from "./rules.ts";
import { endSession } from "./sessions.ts";
import type { Site } from "./site.ts";

interface Case {
  readonly purpose: Collided["purpose"];
  readonly plan: Plan;
  readonly failure: Failure;
  readonly waited: number;
}

/** What comes of a refused plan: it is submitted again, revised, given up, or was accepted while it waited. */
export type Ending = "submit again" | "given up" | { readonly revise: Failure } | { readonly accepted: Plan };

/** What another feature is in the way of; anything else is the plan itself. */
const COLLIDED: ReadonlySet<string> = new Set(["collision_detected", "blocked_by_collision_policy", "lock_conflict"]);

/** The orchestrator's part, without a model: rules decide, rows remember, and whoever waits is woken when the others have ended. */
export async function arbitrate(site: Site, name: string, { purpose, plan, failure, waited }: Case): Promise<Ending> {
  // Nobody waits or thinks with something in hand that others could use.
  await giveBackLocks(site, name, plan);
  if (!COLLIDED.has(failure.code)) return { revise: failure };
  const place = (id: string) => site.run.findIndex(({ feature_id }) => feature_id === id);
  const inTheWay = conflictingIn(failure).map((id) => ({ feature_id: id, place: place(id) === -1 ? null : place(id) }));
  const ruling = ruleOn({ purpose, place: place(site.id), inTheWay, waited });
  if (ruling === "revise") return { revise: failure };
  if (ruling === "ask") return ask(site, name, purpose, plan, failure);
  return failure.code === "blocked_by_collision_policy"
    ? waitInQueue(site, name, purpose, plan, failure)
    : waitFor(site, name, purpose, plan, failure);
}

async function waitFor(site: Site, name: string, purpose: Case["purpose"], plan: Plan, failure: Failure): Promise<Ending> {
  const { features } = site.shop.kernel;
  const blockers = conflictingIn(failure);
  const others = blockers.join(", ");
  const reason = `waits for ${others}: ${resourcesIn(failure).join(", ")}`;
  if (purpose === "submit") await endSession(site, "planner", `wait:${name}`, "blocked");
  await certain(site, `wait:${name}`, (call) => features.wait(call, { feature_id: site.id, plan_json: plan, blockers, reason }));
  const { onto } = await site.ctx.until(`waited:${name}`, () => features.endOf(site.run, blockers));
  await wake(site, name, onto, `goes on: ${others} ended`);
  // Work that is under way goes onto the moved base as far as it fits; what conflicts is a question when it lands.
  if (purpose === "update") await certain(site, `carry:${name}`, (call) => features.candidate(call, { feature_id: site.id }));
  return "submit again";
}

/** Under `collision_policy: block` the kernel itself accepts the plan as soon as nothing is in its way. */
async function waitInQueue(site: Site, name: string, purpose: Case["purpose"], plan: Plan, failure: Failure): Promise<Ending> {
  const { features } = site.shop.kernel;
  const blockers = conflictingIn(failure);
  const left = await site.ctx.until(`queued:${name}`, () => features.endOfQueueing(site.run, site.id, blockers));
  const { accepted, onto, status_reason: reason } = left;
  if (accepted === null) return ask(site, name, purpose, plan, { ...failure, message: reason });
  await wake(site, name, onto, reason);
  return { accepted };
}

/** Puts the feature, as long as it has built nothing, on the base that the others left. */
async function wake(site: Site, name: string, onto: string | null, reason: string): Promise<void> {
  await certain(site, `wake:${name}`, (call) => site.shop.kernel.features.wake(call, { feature_id: site.id, onto, reason }));
}

const LABELS = {
  retry: "submit the same plan again: what was in the way has ended",
  revise: "have the planner look for another way, or for a part that should land first",
  give_up: "end this feature; its work stays reachable",
};

async function ask(site: Site, name: string, purpose: Case["purpose"], plan: Plan, failure: Failure): Promise<Ending> {
  const { features } = site.shop.kernel;
  const blockers = conflictingIn(failure);
  // Somebody who is building can do without the amendment; that is not the end of the feature.
  const decisions = purpose === "submit" ? (["retry", "revise", "give_up"] as const) : (["retry", "revise"] as const);
  const answer = await site.ctx.ask(`collision:${name}`, {
    kind: "collision",
    title: `The plan of ${site.id} collides with ${blockers.join(", ")}`,
    body: [failure.message, ...nextActions(failure)].join("\n"),
    options: decisions.map((value) => ({ value, label: LABELS[value] })),
    schema: z.strictObject({ decision: z.enum(decisions), comment: z.string().optional() }),
    context: { feature_id: site.id, conflicting_feature_ids: blockers, resources: resourcesIn(failure) },
  });
  if (answer.decision === "retry") {
    // The queue may have accepted the plan while the question was open.
    const { onto, accepted } = await site.ctx.step(`ended:${name}`, async () => {
      const current = await features.acceptedPlan(site.id);
      const ended = await features.endOf(site.run, blockers);
      return { onto: ended?.onto ?? null, accepted: current?.plan_version === plan.plan_version ? current : null };
    });
    await wake(site, name, onto, "goes on: a person has said so");
    return accepted === null ? "submit again" : { accepted };
  }
  if (answer.decision === "revise") return { revise: { ...failure, message: `${failure.message}\n${answer.comment ?? ""}`.trimEnd() } };
  const reason = answer.comment ?? "given up by a person";
  await certain(site, `give-up:${name}`, (call) => features.changeStatus(call, { feature_id: site.id, to: "failed", reason }));
  return "given up";
}
