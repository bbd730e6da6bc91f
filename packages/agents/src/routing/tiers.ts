import { TIERS, type Tier } from "@slipway/kernel/config/agent-parts/tiers";
import type { ErrorCode } from "@slipway/durable/errors";

/** Failures in a row before the next tier is used. */
const FAILURES_PER_TIER = 2;

/** By how many tiers a role is raised after `failures` failed attempts. */
export function escalationsAfter(failures: number): number {
  return Math.floor(failures / FAILURES_PER_TIER);
}

export function raisedTier(tier: Tier, escalations: number): Tier {
  return (
    TIERS.slice(TIERS.indexOf(tier))
      .slice(0, escalations + 1)
      .at(-1) ?? tier
  );
}

/** The provider cannot be used at all: a fallback may take over. */
const UNAVAILABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["provider_unavailable", "agent_not_installed", "provider_auth_missing"]);

export function isUnavailable(code: ErrorCode): boolean {
  return UNAVAILABLE.has(code);
}
