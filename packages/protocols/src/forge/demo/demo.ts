import { journalSize } from "@slipway/kernel/record/journal/heads";
import { featureRunId, type FeatureResult } from "../../change/feature-run.ts";
import type { Demo } from "../../demo/demo.ts";
import { demoFolder } from "../../demo/files.ts";
import { lastLines } from "../../demo/last-lines.ts";
import { openForgeLedger } from "../ledger/ledger.ts";
import { observationsOf } from "../ledger/observations.ts";
import { readForgeRun } from "../ledger/runs.ts";

interface ForgeStory {
  readonly run: string;
  readonly result: FeatureResult | null;
  readonly dispatches: number;
  readonly retried: number;
  readonly rows: { readonly baseline: number; readonly after: number; readonly review: number };
  readonly reverts: readonly string[];
  readonly verdicts: readonly string[];
  readonly journal: { readonly events: number; readonly head: string };
}

export const forgeDemo: Demo<ForgeStory> = {
  files: {
    folder: demoFolder("forge"),
    published: null,
    commitMessage: "A small recipe book",
    gates: "the project's tests",
    request: { text: "Print fractions and shopping lists" },
  },
  writtenBy: "npm run record:demo-forge",
  next: { say: "A second request, whose design is not safe:", request: { text: "Import a recipe from a web page" } },
  async summarise({ records }, { runId, outcome }) {
    const result = outcome.status === "completed" ? (outcome.value as FeatureResult) : null;
    const row = result === null ? null : await readForgeRun(records.database.db, featureRunId(runId, result.feature_id));
    const ledger = openForgeLedger({ db: records.database.db, door: records.door, observations: observationsOf }, row?.ledger ?? "sqlite");
    const { checks, telemetry } = await ledger.rows(row?.run_id ?? "");
    const of = (phase: string) => checks.filter((check) => check.phase === phase);
    return {
      run: runId,
      result,
      dispatches: telemetry.length,
      retried: telemetry.filter(({ retry_count }) => retry_count > 0).length,
      rows: { baseline: of("baseline").length, after: of("after").length, review: of("review").length },
      reverts: checks.filter(({ check_name, task_id }) => check_name === `revert-${task_id}`).map(({ task_id }) => task_id),
      verdicts: of("review").map(({ check_name, round, verdict }) => `${check_name} round ${round}: ${verdict ?? ""}`),
      journal: await journalSize(records),
    };
  },
  close([first, second], finished) {
    const merged = first.result?.landing ?? null;
    const ended = second?.result?.words ?? [];
    return {
      done: merged !== null && second?.result?.status === "failed",
      lines: [
        "",
        `The first run: ${first.dispatches} dispatches, ${first.rows.baseline} baseline, ${first.rows.after} after and ${first.rows.review} review rows in its ledger.`,
        ...first.reverts.map((task) => `  ${task} failed twice, was restored from the baseline tag and given up`),
        ...(merged === null
          ? []
          : [`  merged as ${merged.commit.slice(0, 10)}: feat(${first.result?.feature_id ?? ""}): pipeline complete`]),
        ...(first.result?.words ?? []).map((line) => `  ${line}`),
        "The second run: one reviewer's blocker outweighs two approvals.",
        ...ended.map((line) => `  ${line}`),
        ...lastLines({ journal: second?.journal ?? first.journal, tryNext: TRY_NEXT, begin: 'slipway forge "what you want"' }, finished),
      ],
      json: {
        status: merged === null ? "not merged" : "merged",
        commit: merged?.commit ?? null,
        dispatches: first.dispatches,
        rows: first.rows,
        reverted: first.reverts,
        blocked: { status: second?.result?.status ?? null, words: ended, verdicts: second?.verdicts ?? [] },
        elapsed_ms: finished.elapsedMs,
        journal: second?.journal ?? first.journal,
      },
    };
  },
};

const TRY_NEXT = {
  "cat .slipway/runs/*fractions*/evidence-bundle.md": "everything that is known about the change",
  "slipway status": "both runs",
  "slipway export copilot --protocol forge": "the nine agents for GitHub Copilot",
};
