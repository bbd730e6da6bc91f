import { TIERS, type Tier } from "@slipway/kernel/config/agent-parts/tiers";
import type { ErrorCode } from "@slipway/durable/errors";

/** So many failures in a row are enough for the next tier to try. */
const FAILURES_PER_TIER = 2;

/** How many tiers above its own a role is played after `failures` attempts that came to nothing. */
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

/** Whoever fails so cannot be had at all: somebody else may play instead. */
const UNAVAILABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["provider_unavailable", "agent_not_installed", "provider_auth_missing"]);

export function isUnavailable(code: ErrorCode): boolean {
  return UNAVAILABLE.has(code);
}
