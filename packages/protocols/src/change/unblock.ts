import { mustPerform } from "./perform.ts";
import { holdPlanLocks } from "./locks.ts";
import { retryAnswer } from "../dispatch/retry-answer.ts";
import type { ChangeRun } from "./change-run.ts";

/** Where the feature may be put back to once it is no longer blocked. */
type Back = "building" | "qa";

/** Changes the status. When the kernel has blocked the feature meanwhile, a person decides first; false when they give it up. */
export async function moveTo(change: ChangeRun, step: string, to: Back | "ready_to_merge", reason: string): Promise<boolean> {
  const { features } = change.services.kernel;
  if (!(await ensureUnblocked(change, step, to === "qa" ? "building" : "qa"))) return false;
  await mustPerform(change, step, (call) => features.changeStatus(call, { feature_id: change.id, to, reason }));
  return true;
}

/**
 * Nobody works on under a lock that was lost: recovery and the heartbeat block such a feature. When nobody else has taken the lock
 * it goes on by itself; otherwise, and when it was blocked for another reason, a person decides. False when they give it up.
 */
export async function ensureUnblocked(change: ChangeRun, name: string, back: Back): Promise<boolean> {
  const { features } = change.services.kernel;
  for (let round = 1; ; round++) {
    const step = round === 1 ? `standing:${name}` : `standing:${name}~${round}`;
    const { status, status_reason, lost } = await change.ctx.step(step, () => features.standing(change.id));
    if (status !== "blocked") return true;
    const setStatus = (to: Back | "failed", reason: string) =>
      mustPerform(change, `back-to-${to}:${step}`, (call) => features.changeStatus(call, { feature_id: change.id, to, reason }));
    const taken = lost.length === 0 ? null : await holdPlanLocks(change, `locks:${step}`);
    if (lost.length > 0 && taken === null) {
      await setStatus(back, `goes on: ${lost.join(", ")} had run out and is held again (${step})`);
      return true;
    }
    const answer = await change.ctx.ask(`blocked:${step}`, {
      kind: "blocked",
      title: `${change.id} is blocked`,
      body: [status_reason, ...(taken === null ? [] : [taken.message]), "What it has built so far is kept."].join("\n"),
      options: [
        { value: "retry", label: "go on; locks it has lost are taken again first" },
        { value: "give_up", label: "end this feature; its work stays reachable" },
      ],
      schema: retryAnswer,
      context: { feature_id: change.id, phase: back },
    });
    if (answer.decision === "give_up") {
      await setStatus("failed", answer.comment ?? "given up by a person");
      return false;
    }
    if (lost.length === 0) {
      await setStatus(back, `goes on: a person has said so (${step})`);
      return true;
    }
  }
}
