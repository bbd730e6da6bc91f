import type { StepName } from "@slipway/durable/step-name";
import { SlipwayError } from "@slipway/agents/errors";
import { toFailure, type ErrorCode } from "@slipway/durable/errors";
import type { Call } from "@slipway/kernel/record/operations/call";
import { askToRepair } from "./record.ts";
import type { TaskRun } from "./task-run.ts";

const AGAIN = { attempts: 3, backoffMs: 1_000, factor: 4 };

/** A step that uses the code index, whose model may be remote. If the model fails, the run asks a person and repeats the step. */
export async function indexStep<T>(run: TaskRun, step: string | StepName<T>, body: (call: Call) => Promise<T>): Promise<T> {
  for (let round = 1; ; round++) {
    const name = round === 1 ? step : `${step}^${round}`;
    try {
      return await run.ctx.step(name, () => body(run.call(step)), { retry: AGAIN });
    } catch (error) {
      if (!isMendable(error)) throw error;
      await askToRepair(run, name, toFailure(error));
    }
  }
}

/** Errors caused by the model or its configuration. */
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
