import type { Json } from "@slipway/durable/canonical";
import { SlipwayError } from "../../schema/errors.ts";
import type { Policy } from "../../config/policy.ts";
import { keptFacts } from "../../record/journal/heads.ts";
import { assertUntouched, missingRows } from "../../record/facts/compare.ts";
import type { JournalFacts } from "../../record/facts/read-back.ts";
import { placesIn } from "../../host/places.ts";
import { modePassed, provenChecks, type Check } from "../judge/evidence/checks.ts";
import { MODE } from "../judge/evidence/gate-queries.ts";
import type { MergeStrategy } from "../../host/git/merge.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { gateMap, type Feature } from "../feature/store.ts";

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

/**
 * The facts of the journal as far as it is kept outside the repository, after no check that they name was deleted: a failed gate that is
 * newer than a passed one must not disappear.
 */
export async function factsToMerge({ db, sqlite, hostEnv }: FeatureDependencies): Promise<JournalFacts> {
  const facts = await keptFacts(placesIn(hostEnv).stateHome, { database: { db, sqlite } });
  assertUntouched(await missingRows(db, facts, "checks"));
  return facts;
}

/** Checks the status, and that the gates passed on exactly the tree that would merge. */
export async function assertReady(
  { db, configuration }: FeatureDependencies,
  { id: feature_id, status, tree }: Feature,
  facts: JournalFacts,
): Promise<void> {
  const { policy, policyHash } = configuration;
  if (status !== "ready_to_merge") {
    throw new SlipwayError("invalid_status_transition", `"${feature_id}" is ${status}, not ready_to_merge.`, {
      from: status,
      to: "merged",
    });
  }
  for (const mode of ["full", policy.required_merge_mode]) {
    if (await modePassed(db, { feature_id, mode, tree, policy: policyHash }, facts)) continue;
    throw new SlipwayError("gate_failed", `The ${mode} gate has not passed on the tree to merge under the current policy and gates.`, {
      feature_id,
      mode,
      tree,
      suggested_next_actions: [`Run the ${mode} gate on the current tree of the feature (gates.run).`],
    });
  }
}

/** Results of the gates at the time of the merge. */
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

export async function gateSnapshot({ db }: FeatureDependencies, feature: Feature, facts: JournalFacts): Promise<GateSnapshot> {
  const runs = await modeRuns({ db }, feature, facts);
  // The feature's own summary of its gates is not bound to the journal.
  const verdicts = Object.fromEntries(runs.map(({ name, status }) => [name, status]));
  return {
    gates: { ...gateMap(feature), ...verdicts },
    runs: runs.map(({ id, name: mode, status, counts, at }) => ({ id, mode, status, counts, at })),
  };
}

/**
 * The commit time when no approval provides one: the time of the last gate on the tree. A repeated attempt must build the identical commit,
 * which the current time would prevent.
 */
export async function gatedAt(dependencies: Pick<FeatureDependencies, "db">, feature: Feature, facts: JournalFacts): Promise<number> {
  return Math.max(...(await modeRuns(dependencies, feature, facts)).map(({ at }) => at));
}

async function modeRuns({ db }: Pick<FeatureDependencies, "db">, { id, tree }: Feature, facts: JournalFacts): Promise<Check[]> {
  return (await provenChecks(db, { feature_id: id, tree }, facts)).filter(({ kind, former }) => kind === MODE && !former);
}
