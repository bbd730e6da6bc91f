import { fromFailure, type ErrorCode } from "@slipway/durable/errors";
import type { RetryPhase } from "@slipway/kernel/change/work/retry-rules";
import { GivenUp } from "../given-up.ts";
import { attempt, mendQuestion } from "./attempt.ts";
import { buildOnce } from "./building.ts";
import { gate } from "./gate.ts";
import type { Start, Tried } from "./phase.ts";
import { conflictingIn, MAX_WAITS } from "./rules.ts";
import type { Site } from "./site.ts";
import { enter, stillStanding } from "./standing.ts";

/** How a feature that had ended goes on. */
export interface Retry {
  readonly from: RetryPhase;
  /** A person's guidance for the planner or the builder. */
  readonly comment: string | null;
}

const COLLIDED: readonly ErrorCode[] = ["collision_detected", "blocked_by_collision_policy"];

/**
 * Takes the feature up again. Where a feature of the same run is in the way of its plan it waits for that one's end; for anybody
 * else a person is asked. Returns the version of the plan that a new plan would revise.
 */
export async function takeUp(site: Site, { from }: Retry): Promise<number | null> {
  const { features } = site.shop.kernel;
  for (let round = 1; ; round++) {
    const step = round === 1 ? "retry" : `retry-${round}`;
    const input = { feature_id: site.id, run_id: site.ctx.runId, from };
    const taken = await attempt(site, step, (call) => features.retry(call, input), { returned: COLLIDED, asksAlways: true });
    if (taken.ok) return taken.value.plan_version;
    if (!COLLIDED.includes(taken.failure.code)) throw fromFailure(taken.failure);
    const blockers = conflictingIn(taken.failure);
    const siblings = blockers.every((id) => site.run.some(({ feature_id }) => feature_id === id));
    if (blockers.length > 0 && siblings && round <= MAX_WAITS) {
      await site.ctx.until(`waited:${step}`, () => features.endOf(site.run, blockers));
      continue;
    }
    const answer = await site.ctx.ask(`mend:${step}`, mendQuestion(site.id, taken.failure));
    if (answer.decision === "give_up") throw new GivenUp(site.id);
  }
}

/** The first attempt of a retry from the gates: what stands is gated as it is. Only what fails there is built again. */
export async function gateOrBuild(site: Site, start: Start): Promise<Tried<string | null>> {
  if (start.attempt !== "1") return buildOnce(site, start);
  if (!(await stillStanding(site, "gates:1", "building"))) return { ok: true, value: null };
  const passed = await gate(site, "fast", start.attempt);
  if (!passed.ok) return passed;
  const entered = await enter(site, `qa-entry:${start.attempt}`, "qa", "the fast gates passed");
  return { ok: true, value: entered ? passed.value.tree : null };
}
