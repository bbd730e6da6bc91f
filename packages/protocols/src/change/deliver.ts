import type { Ctx } from "@slipway/durable/ctx";
import { SlipwayError } from "@slipway/agents/errors";
import type { Landing } from "@slipway/kernel/change/land/merge";
import { GivenUp } from "../dispatch/given-up.ts";
import { retryAnswer } from "../dispatch/retry-answer.ts";
import type { ChangeRun } from "./change-run.ts";
import { land } from "./land.ts";
import { mustPerform } from "./perform.ts";
import { retryPhase } from "./phase.ts";
import { placeFiles, planFiles, type ReadyFiles } from "./place-files.ts";
import type { ChangeServices } from "./services.ts";
import { CHANGE_STEPS } from "./steps.ts";

/** One change that a protocol delivers as files. */
export interface Delivery extends ReadyFiles {
  /** Becomes the specification in the feature's folder. */
  readonly spec: { readonly source: string; readonly text: string };
  /** The body of the question that follows a change that was not merged. */
  readonly whenSentBack: string;
  readonly retryLabel: string;
  readonly giveUpLabel: string;
}

export type Delivered =
  { readonly status: "merged"; readonly landing: Landing } | { readonly status: "not_merged"; readonly reason: string };

/** The only change of its run. */
export function oneChange<S extends ChangeServices>(ctx: Ctx, services: S, id: string): ChangeRun & { readonly services: S } {
  return { ctx, services, id, siblings: [{ feature_id: id, run_id: ctx.runId }], revises: null };
}

/**
 * Delivers files like any feature: in a worktree and on a branch, through the gates and a person's approval, merged by
 * compare-and-swap. The branch stays if the change is not merged.
 */
export async function deliver(change: ChangeRun, delivery: Delivery): Promise<Delivered> {
  try {
    return await landFiles(change, delivery);
  } catch (error) {
    const deleted = error instanceof SlipwayError && error.code === "feature_not_found";
    if (deleted) return { status: "not_merged", reason: `${change.id} was deleted` };
    if (error instanceof GivenUp) return ended(change);
    throw error;
  }
}

async function landFiles(change: ChangeRun, delivery: Delivery): Promise<Delivered> {
  const { ctx, id, services } = change;
  const { features, records } = services.kernel;
  const spec_digest = await ctx.step("spec", () => records.objects.put(Buffer.from(delivery.spec.text)));
  const spec = { feature_id: id, spec_source: delivery.spec.source, spec_digest, run_id: ctx.runId };
  await mustPerform(change, CHANGE_STEPS.init.named(), (call) => features.init(call, spec), { asksAlways: true });
  const { tests } = delivery;
  if (tests !== undefined) await mustPerform(change, "expect-tests", (call) => features.expectTests(call, { feature_id: id, ...tests }));
  const planned = await retryPhase(change, "planning", null, (start) => planFiles(change, delivery, start));
  if (planned === null) return ended(change);
  for (let review = 1; ; review++) {
    const ready = await retryPhase(change, "building", null, (start) => placeFiles(change, delivery, start), review);
    if (ready === null) return ended(change);
    const outcome = await land(change, review);
    if (outcome.status === "merged") return outcome;
    if (outcome.status === "rejected" || !(await tryAgain(change, delivery, review, outcome.comment))) return ended(change);
  }
}

function ended({ ctx, id, services }: ChangeRun): Promise<Delivered> {
  return ctx.step("ended", async () => {
    const { status_reason } = await services.kernel.features.standing(id);
    return { status: "not_merged" as const, reason: status_reason };
  });
}

/** The files stay the same; a person may fix what kept them from merging. */
async function tryAgain(change: ChangeRun, delivery: Delivery, review: number, comment: string): Promise<boolean> {
  const { ctx, id, services } = change;
  const answer = await ctx.ask(`sent-back:${review}`, {
    kind: "blocked",
    title: `${id} was not merged: ${comment}`,
    body: delivery.whenSentBack,
    options: [
      { value: "retry", label: delivery.retryLabel },
      { value: "give_up", label: delivery.giveUpLabel },
    ],
    schema: retryAnswer,
    context: { feature_id: id },
    answerableBy: ["person"],
  });
  if (answer.decision === "retry") return true;
  const reason = answer.comment ?? `not merged: ${comment}`;
  await mustPerform(change, `give-up:${review}`, (call) =>
    services.kernel.features.changeStatus(call, { feature_id: id, to: "failed", reason }),
  );
  return false;
}
