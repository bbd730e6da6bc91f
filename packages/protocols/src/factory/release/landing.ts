import { workflow } from "@slipway/durable/ctx";
import { SlipwayError } from "@slipway/durable/errors";
import { RELAXED } from "../durability.ts";
import { GivenUp } from "../../given-up.ts";
import { certain } from "../../features/attempt.ts";
import { land } from "../../features/landing.ts";
import { untilPassed } from "../../features/phase.ts";
import { blockedAnswer } from "../../features/schemas.ts";
import type { FactoryShop } from "../shop.ts";
import { releaseFolder, releaseText } from "./assembling.ts";
import { placeRelease, planRelease, type ReleaseSite } from "./placing.ts";
import { landed as withLanding, releaseKind, type ReleaseLanding } from "./schema.ts";

/** Raise it whenever a step is renamed, added, removed or reordered. */
const LANDING_VERSION = "1";

/** The name of the release among the features, and of its branch. */
export function releaseFeature(releaseId: string): string {
  return releaseId.toLowerCase();
}

/**
 * A release goes into the repository as any feature does: a worktree and a branch of its own, the repository's gates, a person's
 * approval, a merge by compare-and-swap. Nobody has to build it, so there is no worker.
 */
export const releaseLanding = workflow<{ readonly release_id: string }, ReleaseLanding, FactoryShop>(
  "release",
  LANDING_VERSION,
  async (ctx, { release_id }, shop) => {
    const id = releaseFeature(release_id);
    const release = await ctx.step("release", () => shop.documents.get(releaseKind, release_id));
    const work: ReleaseSite = { ctx, shop, id, run: [{ feature_id: id, run_id: ctx.runId }], revises: null, release };
    const landing = await landedOr(work);
    await certain(work, "manifest", (call) =>
      shop.documents.revise(call, releaseKind, release_id, landing, (kept) => withLanding(kept, landing)),
    );
    return landing;
  },
  RELAXED,
);

async function landedOr(work: ReleaseSite): Promise<ReleaseLanding> {
  try {
    return await intoTheRepository(work);
  } catch (error) {
    const deleted = error instanceof SlipwayError && error.code === "feature_not_found";
    if (deleted) return { status: "not_merged", branch: work.id, reason: `${work.id} was deleted` };
    if (error instanceof GivenUp) return ended(work);
    throw error;
  }
}

async function intoTheRepository(work: ReleaseSite): Promise<ReleaseLanding> {
  const { ctx, id, shop, release } = work;
  const { features, records } = shop.kernel;
  const spec_digest = await ctx.step("spec", () => records.objects.put(Buffer.from(releaseText(release))));
  const spec = { feature_id: id, spec_source: `releases/${release.release_id}.json`, spec_digest, run_id: ctx.runId };
  await certain(work, "init", (call) => features.init(call, spec), { asksAlways: true });
  const planned = await untilPassed(work, "planning", null, (start) => planRelease(work, start));
  if (planned === null) return ended(work);
  for (let review = 1; ; review++) {
    const ready = await untilPassed(work, "building", null, (start) => placeRelease(work, start), review);
    if (ready === null) return ended(work);
    const outcome = await land(work, review);
    if (outcome.status === "merged") {
      const { commit, base_branch, approved_by } = outcome.landing;
      return { status: "merged", commit, base_branch, branch: id, folder: releaseFolder(shop.kernel), approved_by };
    }
    if (outcome.status === "rejected" || !(await onceMore(work, review, outcome.comment))) return ended(work);
  }
}

/** What it ended with is on record. */
function ended({ ctx, id, shop }: ReleaseSite): Promise<ReleaseLanding> {
  return ctx.step("ended", async () => {
    const { status_reason } = await shop.kernel.features.standing(id);
    return { status: "not_merged" as const, branch: id, reason: status_reason };
  });
}

/** Sealed modules are not changed here. What stands in their way may be, by a person. */
async function onceMore(work: ReleaseSite, review: number, comment: string): Promise<boolean> {
  const { ctx, id, shop } = work;
  const answer = await ctx.ask(`sent-back:${review}`, {
    kind: "blocked",
    title: `${id} was not merged: ${comment}`,
    body: `The modules of a release are sealed: nobody changes them for it. Put right and commit what is in their way, and let it try again; or end it, and release another set of modules.`,
    options: [
      { value: "retry", label: "put the modules on the base as it is now, gate them and ask again" },
      { value: "give_up", label: "end this release; its work stays reachable" },
    ],
    schema: blockedAnswer,
    context: { feature_id: id },
    answerableBy: ["person"],
  });
  if (answer.decision === "retry") return true;
  const reason = answer.comment ?? `not merged: ${comment}`;
  await certain(work, `give-up:${review}`, (call) => shop.kernel.features.changeStatus(call, { feature_id: id, to: "failed", reason }));
  return false;
}
