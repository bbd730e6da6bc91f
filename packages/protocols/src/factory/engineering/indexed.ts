import { SlipwayError, toFailure, type ErrorCode } from "@slipway/durable/errors";
import type { Call } from "@slipway/kernel/record/operations/call";
import { askToMend } from "./record.ts";
import type { EngineeringSite } from "./site.ts";

const AGAIN = { attempts: 3, backoffMs: 1_000, factor: 4 };

/** A step that needs the code index, whose model may be somewhere else: where it does not answer, a person is asked and nothing is lost. */
export async function askIndex<T>(site: EngineeringSite, step: string, body: (call: Call) => Promise<T>): Promise<T> {
  for (let round = 1; ; round++) {
    const name = round === 1 ? step : `${step}^${round}`;
    try {
      return await site.ctx.step(name, () => body(site.call(step)), { retry: AGAIN });
    } catch (error) {
      if (!isMendable(error)) throw error;
      await askToMend(site, name, toFailure(error));
    }
  }
}

/** What the model or its configuration is to blame for. */
const MENDABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "agent_failed",
  "agent_provider_not_configured",
  "config_invalid",
  "context_overflow",
  "provider_auth_missing",
  "provider_unavailable",
  "quota_exhausted",
  "rate_limited",
]);

function isMendable(error: unknown): error is SlipwayError {
  return error instanceof SlipwayError && MENDABLE.has(error.code);
}
