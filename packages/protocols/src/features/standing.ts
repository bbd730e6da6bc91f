import { fromFailure, type Failure } from "@slipway/durable/errors";
import { attempt, certain } from "./attempt.ts";
import { holdPlanLocks } from "./locks.ts";
import { blockedAnswer } from "./schemas.ts";
import type { Site } from "./site.ts";

/** Where the feature may be put back to once it is no longer blocked. */
type Back = "building" | "qa";

/** Changes the status. When the kernel has blocked the feature meanwhile, a person decides first; false when they give it up. */
export async function enter(site: Site, step: string, to: Back | "ready_to_merge", reason: string): Promise<boolean> {
  const { features } = site.shop.kernel;
  if (!(await stillStanding(site, step, to === "qa" ? "building" : "qa"))) return false;
  await certain(site, step, (call) => features.changeStatus(call, { feature_id: site.id, to, reason }));
  return true;
}

/**
 * Nobody works on under a lock that was lost: recovery and the heartbeat block such a feature. It goes on when a person says so
 * and the locks are its own again. False when they give it up.
 */
export async function stillStanding(site: Site, name: string, back: Back): Promise<boolean> {
  const { features } = site.shop.kernel;
  for (let round = 1; ; round++) {
    const step = round === 1 ? `standing:${name}` : `standing:${name}~${round}`;
    const { status, status_reason } = await site.ctx.step(step, () => features.standing(site.id));
    if (status !== "blocked") return true;
    const answer = await site.ctx.ask(`lost:${step}`, {
      kind: "blocked",
      title: `${site.id} is blocked`,
      body: `${status_reason}\nWhat it has built so far is kept. "retry" takes the locks again and goes on.`,
      options: [
        { value: "retry", label: "take the locks again and go on" },
        { value: "give_up", label: "end this feature; its work stays reachable" },
      ],
      schema: blockedAnswer,
      context: { feature_id: site.id, phase: back },
    });
    const change = (name: string, to: Back | "failed", reason: string) =>
      attempt(site, name, (call) => features.changeStatus(call, { feature_id: site.id, to, reason }));
    if (answer.decision === "give_up") {
      await change(`give-up:${step}`, "failed", answer.comment ?? "given up by a person");
      return false;
    }
    const contended = await holdPlanLocks(site, `locks:${step}`);
    if (contended === null) assertDone(await change(`unblock:${step}`, back, `goes on: the locks were taken again (${name}.${round})`));
  }
}

function assertDone(outcome: { readonly ok: true } | { readonly ok: false; readonly failure: Failure }): void {
  if (!outcome.ok) throw fromFailure(outcome.failure);
}
