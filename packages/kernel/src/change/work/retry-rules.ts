import { SlipwayError } from "../../schema/errors.ts";
import type { FeatureStatus } from "../feature/status.ts";

/** Phases from which an ended feature can be retried, in order. */
export const RETRY_PHASES = ["plan", "build", "gates", "land"] as const;

export type RetryPhase = (typeof RETRY_PHASES)[number];

/** The status with which each phase starts. Landing starts from `qa`, as always, after the full gates have been checked. */
export const RETRY_STATUS: Readonly<Record<RetryPhase, FeatureStatus>> = {
  plan: "planning",
  build: "building",
  gates: "building",
  land: "qa",
};

/** Recorded results of a feature that are still valid. */
export interface RetryFacts {
  /** The version of its accepted plan. */
  readonly plan: number | null;
  /** The built tree, if it differs from the base and its objects exist. */
  readonly tree: string | null;
  /** Required modes that have not passed on that tree under the current policy. */
  readonly missingModes: readonly string[];
  /** Open entries of its QA index. */
  readonly untested: number;
}

/** What prevents each phase; null if the results of the earlier phases are valid. */
const MISSING: Readonly<Record<RetryPhase, (facts: RetryFacts) => string | null>> = {
  plan: () => null,
  build: ({ plan }) => (plan === null ? "no plan was accepted" : null),
  gates: (facts) => MISSING.build(facts) ?? (facts.tree === null ? "nothing was built" : null),
  land: (facts) => MISSING.gates(facts) ?? ungated(facts),
};

function ungated({ tree, missingModes, untested }: RetryFacts): string | null {
  if (missingModes.length > 0) return `${missingModes.join(" and ")} gates have not passed on tree ${short(tree)}`;
  return untested === 0 ? null : `${untested} entries of the QA index are open`;
}

/** The earliest phase without a valid result. */
export function earliestPhase(facts: RetryFacts): RetryPhase {
  return RETRY_PHASES.findLast((phase) => MISSING[phase](facts) === null) ?? "plan";
}

/** An earlier phase than necessary is allowed; a later one is not. */
export function assertPhase(feature_id: string, wanted: RetryPhase, facts: RetryFacts): void {
  const missing = MISSING[wanted](facts);
  if (missing === null) return;
  const possible = earliestPhase(facts);
  throw new SlipwayError("invalid_cli_args", `"${feature_id}" cannot be retried from ${wanted}: ${missing}.`, {
    feature_id,
    from: possible,
    suggested_next_actions: [`slipway retry ${feature_id} --from ${possible}`],
  });
}

/** Describes what is reused and what is repeated. */
export function retryText({ plan, tree }: RetryFacts, from: RetryPhase): string {
  const kept = [plan === null ? null : `plan ${plan}`, tree === null ? null : `tree ${short(tree)}`].filter((part) => part !== null);
  switch (from) {
    case "plan":
      return kept.length === 0 ? "keeps nothing; plans again" : `plans again; ${kept.join(" and ")} ${stay(kept)} reachable`;
    case "build":
      return tree === null ? `keeps plan ${plan}; builds again` : `keeps plan ${plan}; builds again on tree ${short(tree)}`;
    case "gates":
      return `keeps plan ${plan} and tree ${short(tree)}; runs the gates again`;
    case "land":
      return `keeps plan ${plan}, tree ${short(tree)} and its gate results; asks for the approval again and lands`;
  }
}

function stay(kept: readonly string[]): string {
  return kept.length === 1 ? "stays" : "stay";
}

function short(tree: string | null): string {
  return (tree ?? "none").slice(0, 10);
}
