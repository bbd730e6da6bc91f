import { fromFailure, type ErrorCode } from "@slipway/durable/errors";
import type { RetryPhase } from "@slipway/kernel/change/work/retry-rules";
import { GivenUp } from "../dispatch/given-up.ts";
import { perform, repairQuestion } from "../change/perform.ts";
import { buildOnce } from "./build.ts";
import { gate } from "../change/gate.ts";
import type { AttemptResult, Start } from "../change/phase.ts";
import { conflictingIn, MAX_WAITS } from "../change/collision-rules.ts";
import type { ChangeRun } from "../change/change-run.ts";
import { FEATURE_STEPS } from "./steps.ts";
import { moveTo, ensureUnblocked } from "../change/unblock.ts";

/** From which phase, and with which guidance, a feature that has ended is retried. */
export interface Retry {
  readonly from: RetryPhase;
  /** A person's guidance for the planner or the builder. */
  readonly comment: string | null;
}

const COLLIDED: readonly ErrorCode[] = ["collision_detected", "blocked_by_collision_policy"];

/**
 * Starts the retry. If its plan conflicts with a feature of the same run, waits until that feature ends; for other conflicts a
 * person is asked. Returns the version of the plan that a new plan would revise.
 */
export async function beginRetry(change: ChangeRun, { from }: Retry): Promise<number | null> {
  const { features } = change.services.kernel;
  for (let round = 1; ; round++) {
    const step = round === 1 ? FEATURE_STEPS.retry.named() : FEATURE_STEPS.retryAgain.named(round);
    const input = { feature_id: change.id, run_id: change.ctx.runId, from };
    const started = await perform(change, step, (call) => features.retry(call, input), { returned: COLLIDED, asksAlways: true });
    if (started.ok) return started.value.plan_version;
    if (!COLLIDED.includes(started.failure.code)) throw fromFailure(started.failure);
    const blockers = conflictingIn(started.failure);
    const known = blockers.every((id) => change.siblings.some(({ feature_id }) => feature_id === id));
    if (blockers.length > 0 && known && round <= MAX_WAITS) {
      await change.ctx.until(`waited:${step}`, () => features.endOf(change.siblings, blockers));
      continue;
    }
    const answer = await change.ctx.ask(`mend:${step}`, repairQuestion(change.id, started.failure));
    if (answer.decision === "give_up") throw new GivenUp(change.id);
  }
}

/** A retry from the gates runs them on the existing tree first. The builder is asked only if they fail. */
export async function gateOrBuild(change: ChangeRun, start: Start): Promise<AttemptResult<string | null>> {
  if (start.attempt !== "1") return buildOnce(change, start);
  if (!(await ensureUnblocked(change, "gates:1", "building"))) return { ok: true, value: null };
  const passed = await gate(change, "fast", start.attempt);
  if (!passed.ok) return passed;
  const entered = await moveTo(change, `qa-entry:${start.attempt}`, "qa", "the fast gates passed");
  return { ok: true, value: entered ? passed.value.tree : null };
}
