import { SlipwayError } from "@slipway/agents/errors";
import type { ErrorCode } from "@slipway/durable/errors";
import { isStorageFailure } from "@slipway/durable/failures";

export interface Refused {
  readonly ok: false;
  readonly error: string;
}

/** These end the step: a bug, a lost lease, a stop. */
const NEVER_TOLD: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["internal_error", "lease_lost", "run_cancelled", "run_stopped"]);

/** Returns a tool's refusal as a value; a stop, a bug and a storage failure are thrown. */
export async function asToolResult<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | Refused> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SlipwayError) || isStorageFailure(error) || NEVER_TOLD.has(error.code)) throw error;
    return { ok: false, error: error.message };
  }
}
