import { featureRunId } from "../change/feature-run.ts";
import { plainNode, type RunNode } from "../run-view.ts";
import type { Reader } from "../surface/surface.ts";
import { openForgeLedger } from "./ledger/ledger.ts";
import { observationsOf } from "./ledger/observations.ts";
import { readForgeRun } from "./ledger/runs.ts";
import type { DispatchRow } from "./ledger/rows.ts";
import type { ForgeState } from "./router/state.ts";

/** A list, because keys that look like numbers would come first. */
const STEPS = [
  { step: "1", title: "1 Research" },
  { step: "2", title: "2 Specification" },
  { step: "3", title: "3 Design" },
  { step: "3b", title: "3b Design review" },
  { step: "4", title: "4 Planning" },
  { step: "5", title: "5 Implementation" },
  { step: "6", title: "6 Verification" },
  { step: "7", title: "7 Code review" },
  { step: "8", title: "8 Knowledge" },
] as const;

/** The steps of a change that have begun, and below each its dispatched agents. */
export async function viewForge({ records }: Reader, feature: { readonly runId: string; readonly id: string }): Promise<RunNode[]> {
  const { db } = records.database;
  const parent = `feature:${feature.id}`;
  const row = await readForgeRun(db, featureRunId(feature.runId, feature.id));
  if (row === null) return [];
  const { current_step } = JSON.parse(row.state) as ForgeState;
  const ledger = openForgeLedger({ db, door: records.door, observations: observationsOf }, row.ledger);
  const { telemetry } = await ledger.rows(row.run_id);
  const begun = STEPS.filter(({ step }) => telemetry.some((one) => one.step === step));
  return begun.flatMap(({ step, title }) => {
    const own = telemetry.filter((one) => one.step === step);
    const id = `${parent}/step:${step}`;
    const status = own.some((one) => one.status === "running") ? "active" : step === current_step ? "active" : "done";
    return [plainNode({ id, parent, kind: "phase", title, status }), ...own.map((one) => dispatchNode(one, id))];
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
