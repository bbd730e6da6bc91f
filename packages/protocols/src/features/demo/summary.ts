import { costReport } from "@slipway/kernel/budget/report";
import { recordedFeatures } from "@slipway/kernel/change/feature/recorded-features";
import { checkCounts } from "@slipway/kernel/change/judge/evidence/checks";
import { storyOf, type Fact } from "@slipway/kernel/change/views/story";
import { journalSize } from "@slipway/kernel/record/journal/heads";
import type { DemoRun } from "../../demo/demo.ts";
import type { Reader } from "../../surface/surface.ts";

export interface FeaturesSummary {
  readonly status: string;
  readonly merged: readonly { readonly feature_id: string; readonly commit: string; readonly tree: string; readonly approved_by: string }[];
  readonly checks: { readonly passed: number; readonly failed: number };
  readonly journal: { readonly events: number; readonly head: string };
  readonly story: readonly Fact[];
  readonly cost_usd: number;
}

/** Read from the records alone, not from the state of the run. */
export async function summariseFeatures({ records, engine }: Reader, { runId }: DemoRun): Promise<FeaturesSummary> {
  const merges = await recordedFeatures(records).merges();
  const { total } = await costReport(records, null);
  const run = await engine.run(runId);
  return {
    status: run?.status ?? "unknown",
    merged: merges.map(({ feature_id, commit_sha, tree, approved_by }) => ({ feature_id, commit: commit_sha, tree, approved_by })),
    checks: await checkCounts(records),
    journal: await journalSize(records),
    story: await storyOf(records),
    cost_usd: Number(total.cost_usd.toFixed(6)),
  };
}
