import type { FeatureDependencies } from "../feature/dependencies.ts";
import { readFeatureRows, type FeatureRow } from "./board/feature-rows.ts";
import { readSnapshot } from "./board/snapshot.ts";
import type { Dashboard, DashboardEntry } from "./report-schemas.ts";

/** Every feature, including finished and waiting ones. */
export async function dashboard({ sqlite, layout, clock }: Pick<FeatureDependencies, "sqlite" | "layout" | "clock">): Promise<Dashboard> {
  const read = () => readSnapshot(sqlite, (from) => readFeatureRows(from, layout.objects, clock.now()));
  const features = (await sqlite.reading(read)).features.map(entryOf);
  const groups = Map.groupBy(features, ({ status }) => status);
  return { features, counts: Object.fromEntries([...groups].map(([status, all]) => [status, all.length])) };
}

function entryOf({ facts, state, question, planned }: FeatureRow): DashboardEntry {
  const { id, status, reason, run, locks, gates, last_gate, cost_usd, merged_as, updated_at } = facts;
  const shown = {
    feature_id: id,
    status: status as DashboardEntry["status"],
    status_reason: reason,
    run_id: run,
    version: state?.version ?? null,
    locks: [...locks],
    gates: gates as DashboardEntry["gates"],
    last_gate,
    role: (["planner", "builder", "qa"] as const).find((role) => state?.roles[role] === "running") ?? null,
    cost_usd,
    question: question === null ? null : { id: question.id, kind: question.kind, title: question.title },
    merged_as,
    updated_at,
  };
  if (planned === null) return shown;
  const status_reason = status === "waiting" ? "waits for a free slot" : reason;
  return { ...shown, status_reason, run_id: planned.root, question: null, updated_at: null };
}
