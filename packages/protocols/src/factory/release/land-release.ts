import { workflow } from "@slipway/durable/ctx";
import { deliver, oneChange } from "../../change/deliver.ts";
import { mustPerform } from "../../change/perform.ts";
import { RELAXED } from "../durability.ts";
import type { FactoryServices } from "../services.ts";
import { readyFiles } from "../../change/ready-files.ts";
import { releaseFiles, releaseFolder, releaseSummary, releaseText } from "./assemble.ts";
import { landed as withLanding, releaseKind, type Release, type ReleaseLanding } from "./schema.ts";

/** Raise it whenever a step is renamed, added, removed or reordered. */
const LANDING_VERSION = "1";

/** The feature id of a release, which is also the name of its branch. */
export function releaseFeature(releaseId: string): string {
  return releaseId.toLowerCase();
}

/** A release goes into the repository as any change does. */
export const releaseLanding = workflow<{ readonly release_id: string }, ReleaseLanding, FactoryServices>(
  "release",
  LANDING_VERSION,
  async (ctx, { release_id }, services) => {
    const id = releaseFeature(release_id);
    const release = await ctx.step("release", () => services.documents.get(releaseKind, release_id));
    const change = oneChange(ctx, services, id);
    const delivered = await deliver(change, deliveryOf(services, id, release));
    const landing = landingOf(services, id, delivered);
    await mustPerform(change, "manifest", (call) =>
      services.documents.revise(call, releaseKind, release_id, landing, (kept) => withLanding(kept, landing)),
    );
    return landing;
  },
  RELAXED,
);

function deliveryOf(services: FactoryServices, id: string, release: Release): Parameters<typeof deliver>[1] {
  return {
    ...readyFiles(services.kernel, {
      id,
      appliedBy: "release",
      summary: releaseSummary(release),
      acceptance_criteria: ["the four gates of the release pass", "every module is in the repository, unchanged since it shipped"],
      areas: [releaseFolder(services.kernel)],
      files: () => releaseFiles(services, release),
    }),
    spec: { source: `releases/${release.release_id}.json`, text: releaseText(release) },
    whenSentBack:
      "The modules of a release are sealed and cannot change. Fix and commit the obstacle, then retry; or end the release and release another set of modules.",
    retryLabel: "put the modules on the current base, gate them and ask again",
    giveUpLabel: "end this release; its work stays reachable",
  };
}

function landingOf({ kernel }: FactoryServices, branch: string, delivered: Awaited<ReturnType<typeof deliver>>): ReleaseLanding {
  if (delivered.status === "not_merged") return { status: "not_merged", branch, reason: delivered.reason };
  const { commit, base_branch, approved_by } = delivered.landing;
  return { status: "merged", commit, base_branch, branch, folder: releaseFolder(kernel), approved_by };
}
