import { SlipwayError } from "@slipway/durable/errors";
import type { FeatureStatus } from "../feature/status.ts";

/** Where a feature that has ended may be taken up again, in the order of its way. */
export const RETRY_PHASES = ["plan", "build", "gates", "land"] as const;

export type RetryPhase = (typeof RETRY_PHASES)[number];

/** The status it has when it is taken up there. Landing is entered from `qa`, as ever, once the full gates are seen to have passed. */
export const RETRY_STATUS: Readonly<Record<RetryPhase, FeatureStatus>> = {
  plan: "planning",
  build: "building",
  gates: "building",
  land: "qa",
};

/** What is recorded of a feature, and stands. */
export interface RetryFacts {
  /** The version of its accepted plan. */
  readonly plan: number | null;
  /** What was built, if it differs from the base and its objects are there. */
  readonly tree: string | null;
  /** Modes the policy requires that have not passed on that tree under the policy of now. */
  readonly missingModes: readonly string[];
  /** Entries of its test index that are still open. */
  readonly untested: number;
}

/** What is in the way of each phase; null where its results before it stand. */
const MISSING: Readonly<Record<RetryPhase, (facts: RetryFacts) => string | null>> = {
  plan: () => null,
  build: ({ plan }) => (plan === null ? "no plan was accepted" : null),
  gates: (facts) => MISSING.build(facts) ?? (facts.tree === null ? "nothing was built" : null),
  land: (facts) => MISSING.gates(facts) ?? ungated(facts),
};

function ungated({ tree, missingModes, untested }: RetryFacts): string | null {
  if (missingModes.length > 0) return `${missingModes.join(" and ")} gates have not passed on tree ${short(tree)}`;
  return untested === 0 ? null : `${untested} entries of the test index are open`;
}

/** The earliest phase whose result does not stand. */
export function earliestPhase(facts: RetryFacts): RetryPhase {
  return RETRY_PHASES.findLast((phase) => MISSING[phase](facts) === null) ?? "plan";
}

/** Earlier than need be may be wanted; later cannot be. */
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

/** What is kept and what is done again, in words. */
export function retryText({ plan, tree }: RetryFacts, from: RetryPhase): string {
  const kept = [plan === null ? null : `plan ${plan}`, tree === null ? null : `tree ${short(tree)}`].filter((part) => part !== null);
  switch (from) {
    case "plan":
      return kept.length === 0 ? "nothing stands; planned again" : `planned again; ${kept.join(" and ")} ${stay(kept)} reachable`;
    case "build":
      return tree === null ? `plan ${plan} stands; built again` : `plan ${plan} stands; built again on tree ${short(tree)}`;
    case "gates":
      return `plan ${plan} stands, tree ${short(tree)} stands; gates run again`;
    case "land":
      return `plan ${plan} stands, tree ${short(tree)} stands, its gates stand; lands, and the approval is asked again`;
  }
}

function stay(kept: readonly string[]): string {
  return kept.length === 1 ? "stays" : "stay";
}

function short(tree: string | null): string {
  return (tree ?? "none").slice(0, 10);
}
