import { featureRunId } from "../change/feature-run.ts";
import { plainNode, type RunNode } from "../run-view.ts";
import type { Reader } from "../surface/surface.ts";
import { openForgeLedger } from "./ledger/ledger.ts";
import { observationsOf } from "./ledger/observations.ts";
import { readForgeRun } from "./ledger/runs.ts";
import type { DispatchRow } from "./ledger/rows.ts";
import type { ForgeState } from "./router/state.ts";

const STEP_TITLES: Readonly<Record<string, string>> = {
  "1": "1 Research",
  "2": "2 Specification",
  "3": "3 Design",
  "3b": "3b Design review",
  "4": "4 Planning",
  "5": "5 Implementation",
  "6": "6 Verification",
  "7": "7 Code review",
  "8": "8 Knowledge",
};

/** The steps of a change that have begun, and below each its dispatched agents. */
export async function viewForge({ records }: Reader, feature: { readonly runId: string; readonly id: string }): Promise<RunNode[]> {
  const { db } = records.database;
  const parent = `feature:${feature.id}`;
  const row = await readForgeRun(db, featureRunId(feature.runId, feature.id));
  if (row === null) return [];
  const { current_step } = JSON.parse(row.state) as ForgeState;
  const ledger = openForgeLedger({ db, door: records.door, observations: observationsOf }, row.ledger);
  const { telemetry } = await ledger.rows(row.run_id);
  const steps = Object.keys(STEP_TITLES).filter((step) => telemetry.some((one) => one.step === step));
  return steps.flatMap((step) => {
    const own = telemetry.filter((one) => one.step === step);
    const id = `${parent}/step:${step}`;
    const status = own.some((one) => one.status === "running") ? "active" : step === current_step ? "active" : "done";
    return [plainNode({ id, parent, kind: "phase", title: STEP_TITLES[step] ?? step, status }), ...own.map((one) => dispatchNode(one, id))];
  });
}

function dispatchNode({ agent, instance, status, dispatch_count, started_at, notes }: DispatchRow, parent: string): RunNode {
  const kind = agent === "adversarial-reviewer" ? "review" : "task";
  const failed = status === "ERROR" ? (notes?.split("\n")[0] ?? null) : null;
  return plainNode({
    id: `${parent}/${agent}:${instance ?? ""}`,
    parent,
    kind,
    title: instance ?? agent,
    status,
    role: `forge/${agent}`,
    attempt: String(dispatch_count),
    since: status === "running" ? Date.parse(started_at) : null,
    reason: failed,
  });
}
