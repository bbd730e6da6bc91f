import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { diffText } from "../../host/git/change.ts";
import { latestEvidence } from "../judge/latest-evidence.ts";
import type { FeatureSummary } from "./report-schemas.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { readState } from "./state-reads.ts";
import { findFeature } from "../feature/store.ts";

export async function featureSummary(dependencies: FeatureDependencies, id: string): Promise<FeatureSummary> {
  const { repository, db, layout, clock } = dependencies;
  const { base_commit, tree, worktree } = await findFeature(db, id);
  await mkdir(join(layout.feature(id), "logs"), { recursive: true });
  const { gate: last_gate } = await latestEvidence(dependencies, id);
  const { cost } = await db
    .selectFrom("telemetry")
    .select(({ fn }) => fn.sum<number | null>("cost_usd").as("cost"))
    .where("feature_id", "=", id)
    .executeTakeFirstOrThrow();
  const logs = (last_gate?.steps ?? [])
    .filter(({ status }) => status !== "skipped")
    .map(({ name, log_path }) => ({ what: `log of ${last_gate?.mode}: ${name}`, path: log_path }));
  return {
    state: await readState(dependencies, db, id, clock.now()),
    diff: { base: base_commit, tree, stat: await diffText(repository, base_commit, tree, { stat: true }) },
    evidence: {
      last_gate,
      links: [...logs, { what: "logs", path: join(layout.feature(id), "logs") }, { what: "worktree", path: worktree }],
    },
    cost_usd: cost ?? 0,
  };
}
