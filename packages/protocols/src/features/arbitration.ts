import type { Failure } from "@slipway/durable/errors";
import type { Plan } from "@slipway/kernel/plans/schema";
import { z } from "zod";
import { certain, nextActions } from "./attempt.ts";
import { conflictingIn, resourcesIn, ruleOn, type Collided } from "./rules.ts";
import type { Site } from "./site.ts";

interface Case {
  readonly purpose: Collided["purpose"];
  readonly plan: Plan;
  readonly failure: Failure;
  readonly waited: number;
}

/** What comes of a refused plan: it is submitted again, revised, given up, or was accepted while it waited. */
export type Ending = "submit again" | "given up" | { readonly revise: Failure } | { readonly accepted: Plan };

const COLLIDED: ReadonlySet<string> = new Set(["collision_detected", "blocked_by_collision_policy", "lock_conflict"]);

/** The orchestrator's part, without a model: rules decide, rows remember, and whoever waits is woken when the others have ended. */
export async function arbitrate(site: Site, name: string, { purpose, plan, failure, waited }: Case): Promise<Ending> {
  if (!COLLIDED.has(failure.code)) return { revise: failure };
  const place = (id: string) => site.run.findIndex(({ feature_id }) => feature_id === id);
  const inTheWay = conflictingIn(failure).map((id) => ({ feature_id: id, place: place(id) === -1 ? null : place(id) }));
  const ruling = ruleOn({ purpose, place: place(site.id), inTheWay, waited });
  if (ruling === "revise") return { revise: failure };
  if (ruling === "ask") return ask(site, name, failure);
  return failure.code === "blocked_by_collision_policy" ? waitInQueue(site, name, failure) : waitFor(site, name, plan, failure);
}

async function waitFor(site: Site, name: string, plan: Plan, failure: Failure): Promise<Ending> {
  const { features } = site.shop.kernel;
  const blockers = conflictingIn(failure);
  const others = blockers.join(", ");
  const reason = `waits for ${others}: ${resourcesIn(failure).join(", ")}`;
  await certain(site, `wait:${name}`, (call) => features.wait(call, { feature_id: site.id, plan_json: plan, blockers, reason }));
  const { onto } = await site.ctx.until(`waited:${name}`, () => features.endOf(site.run, blockers));
  const over = `goes on: ${others} ended`;
  await certain(site, `wake:${name}`, (call) => features.wake(call, { feature_id: site.id, onto, reason: over }));
  return "submit again";
}

/** Under `collision_policy: block` the kernel itself accepts the plan as soon as nothing is in its way. */
async function waitInQueue(site: Site, name: string, failure: Failure): Promise<Ending> {
  const { features } = site.shop.kernel;
  const blockers = conflictingIn(failure);
  const left = await site.ctx.until(`queued:${name}`, () => features.endOfQueueing(site.run, site.id, blockers));
  const { accepted, onto, status_reason: reason } = left;
  if (accepted === null) return ask(site, name, { ...failure, message: reason });
  await certain(site, `wake:${name}`, (call) => features.wake(call, { feature_id: site.id, onto, reason }));
  return { accepted };
}

async function ask(site: Site, name: string, failure: Failure): Promise<Ending> {
  const answer = await site.ctx.ask(`collision:${name}`, {
    kind: "collision",
    title: `The plan of ${site.id} collides with ${conflictingIn(failure).join(", ")}`,
    body: [failure.message, ...nextActions(failure)].join("\n"),
    options: [
      { value: "retry", label: "submit the same plan again: what was in the way has ended" },
      { value: "revise", label: "have the planner look for another way, or for a part that should land first" },
      { value: "give_up", label: "end this feature; its work stays reachable" },
    ],
    schema: z.strictObject({ decision: z.enum(["retry", "revise", "give_up"]), comment: z.string().optional() }),
    context: { feature_id: site.id, conflicting_feature_ids: conflictingIn(failure), resources: resourcesIn(failure) },
  });
  if (answer.decision === "retry") return "submit again";
  if (answer.decision === "revise") return { revise: { ...failure, message: `${failure.message}\n${answer.comment ?? ""}`.trimEnd() } };
  const reason = answer.comment ?? "given up by a person";
  const { changeStatus } = site.shop.kernel.features;
  await certain(site, `give-up:${name}`, (call) => changeStatus(call, { feature_id: site.id, to: "failed", reason }));
  return "given up";
}
