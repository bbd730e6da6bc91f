import { countChecks } from "@slipway/kernel/change/judge/evidence/gate-queries";
import type { Session } from "@slipway/runtime/session";
import { storyOf, type Fact } from "./story.ts";

export interface DemoSummary {
  readonly status: string;
  readonly merged: readonly { readonly feature_id: string; readonly commit: string; readonly tree: string; readonly approved_by: string }[];
  readonly checks: { readonly passed: number; readonly failed: number };
  readonly journal: { readonly events: number; readonly head: string };
  readonly story: readonly Fact[];
  readonly cost_usd: number;
  readonly elapsed_ms: number;
}

/** Everything here is read back from the records, nothing is remembered from the run. */
export async function summarise({ records, engine }: Session, runId: string, elapsedMs: number): Promise<DemoSummary> {
  const { db } = records.database;
  const merges = await db.selectFrom("merges").selectAll().orderBy("at").execute();
  const checks = await db.selectFrom("checks").select("status").execute();
  const telemetry = await db.selectFrom("telemetry").select("cost_usd").execute();
  const heads = await db.selectFrom("heads").selectAll().execute();
  const run = await engine.run(runId);
  return {
    status: run?.status ?? "unknown",
    merged: merges.map(({ feature_id, commit_sha, tree, approved_by }) => ({ feature_id, commit: commit_sha, tree, approved_by })),
    checks: countChecks(checks),
    journal: {
      events: heads.reduce((sum, { seq }) => sum + seq, 0),
      head: heads.find(({ stream }) => stream === "repository")?.hash ?? "",
    },
    story: await storyOf(records),
    cost_usd: Number(telemetry.reduce((sum, { cost_usd }) => sum + cost_usd, 0).toFixed(6)),
    elapsed_ms: Math.round(elapsedMs),
  };
}
