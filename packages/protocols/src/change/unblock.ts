import { mustPerform } from "./perform.ts";
import { holdPlanLocks } from "./locks.ts";
import { retryAnswer } from "../dispatch/retry-answer.ts";
import type { ChangeRun } from "./change-run.ts";

/** The statuses an unblocked feature can return to. */
type Back = "building" | "qa";

/** Changes the status. If the kernel has blocked the feature in the meantime, a person decides first. False if they give it up. */
export async function moveTo(change: ChangeRun, step: string, to: Back | "ready_to_merge", reason: string): Promise<boolean> {
  const { features } = change.services.kernel;
  if (!(await ensureUnblocked(change, step, to === "qa" ? "building" : "qa"))) return false;
  await mustPerform(change, step, (call) => features.changeStatus(call, { feature_id: change.id, to, reason }));
  return true;
}

/**
 * Recovery and the heartbeat block a feature whose lock has expired. If the lock is still free, the feature acquires it again and
 * continues. Otherwise, and if it was blocked for another reason, a person decides. False if they give it up.
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
      await setStatus(back, `resumed: ${lost.join(", ")} had expired and was acquired again (${step})`);
      return true;
    }
    const answer = await change.ctx.ask(`blocked:${step}`, {
      kind: "blocked",
      title: `${change.id} is blocked`,
      body: [status_reason, ...(taken === null ? [] : [taken.message]), "Its work so far is kept."].join("\n"),
      options: [
        { value: "retry", label: "continue, after acquiring its lost locks again" },
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
      await setStatus(back, `resumed by a person (${step})`);
      return true;
    }
  }
}
