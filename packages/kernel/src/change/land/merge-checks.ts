import type { Json } from "@slipway/durable/canonical";
import { SlipwayError } from "@slipway/durable/errors";
import type { Approval } from "./approvals/approvals.ts";
import type { Policy } from "../../config/policy.ts";
import { checksOf, modePassed, type Check } from "../judge/evidence/checks.ts";
import { MODE } from "../judge/evidence/gate-queries.ts";
import type { MergeStrategy } from "../../host/git/merge.ts";
import type { Rooms } from "../feature/dependencies.ts";
import { acceptedPlan, gateMap, type Feature } from "../feature/store.ts";

export function chosenStrategy({ merge_policy: { allowed_strategies: allowed } }: Policy, wanted?: string): MergeStrategy {
  const strategy = allowed.find((name) => name === (wanted ?? allowed[0]));
  if (strategy !== undefined) return strategy;
  throw new SlipwayError("merge_disabled", `The policy does not allow the merge strategy ${JSON.stringify(wanted)}.`, {
    allowed,
    file: "slipway/policy.yaml",
    field: "merge_policy.allowed_strategies",
    suggested_next_actions: [`Use one of: ${allowed.join(", ")}.`],
  });
}

/** The status says so, and the gates passed on exactly what would be merged. */
export async function assertReady({ db, configuration }: Rooms, { id: feature_id, status, tree }: Feature): Promise<void> {
  const { policy, policyHash } = configuration;
  if (status !== "ready_to_merge") {
    throw new SlipwayError("invalid_status_transition", `"${feature_id}" is ${status}, not ready_to_merge.`, {
      from: status,
      to: "merged",
    });
  }
  for (const mode of ["full", policy.required_merge_mode]) {
    if (await modePassed(db, { feature_id, mode, tree, policy: policyHash })) continue;
    throw new SlipwayError(
      "gate_failed",
      `The ${mode} gate has not passed on the tree that would be merged, under the policy and the gates as they are now.`,
      {
        feature_id,
        mode,
        tree,
        suggested_next_actions: [`Run the ${mode} gate on the feature as it is now (gates.run).`],
      },
    );
  }
}

/** What spoke for the change when it was merged. */
export interface GateSnapshot {
  readonly gates: Readonly<Record<string, string>>;
  readonly runs: readonly {
    readonly id: string;
    readonly mode: string;
    readonly status: string;
    readonly counts: Json;
    readonly at: number;
  }[];
}

export async function gateSnapshot({ db }: Rooms, feature: Feature): Promise<GateSnapshot> {
  const runs = await modeRuns({ db }, feature);
  return { gates: gateMap(feature), runs: runs.map(({ id, name: mode, status, counts, at }) => ({ id, mode, status, counts, at })) };
}

/**
 * The time a commit is given when no person's approval dates it: that of the last gate on its tree. A repeated attempt has to
 * build the very same commit, and a clock would not.
 */
export async function gatedAt(rooms: Pick<Rooms, "db">, feature: Feature): Promise<number> {
  return Math.max(...(await modeRuns(rooms, feature)).map(({ at }) => at));
}

async function modeRuns({ db }: Pick<Rooms, "db">, { id, tree }: Feature): Promise<Check[]> {
  return (await checksOf(db, { feature_id: id, tree })).filter(({ kind }) => kind === MODE);
}

export async function messageFor({ db }: Rooms, { id }: Feature, change: string, approval: Approval | null): Promise<string> {
  const plan = await acceptedPlan(db, id);
  return [
    `${id}: ${plan?.summary ?? "merged by Slipway"}`,
    "",
    `Slipway-Feature: ${id}`,
    `Slipway-Change: ${change}`,
    ...(approval === null ? [] : [`Approved-by: ${approval.by}`]),
  ].join("\n");
}
