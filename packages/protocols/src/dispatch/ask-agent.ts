import type { Ctx } from "@slipway/durable/ctx";
import { SlipwayError } from "@slipway/agents/errors";
import { toFailure } from "@slipway/durable/errors";
import type { StepName } from "@slipway/durable/step-name";
import type { AgentDispatcher, AgentRequest, Reply, WorkspaceRequest } from "./dispatcher.ts";
import { withPauses, type Invoker } from "./pauses.ts";

/** Calls for one attempt when the provider gives no answer. Then a person decides. */
export const CALLS_IN_PLACE = 3;

/** Retries transient failures of a call. If they persist, the attempt fails, not the run. */
export async function inPlace<T>({ ctx }: { readonly ctx: Ctx }, step: string, body: (signal: AbortSignal) => Promise<Reply<T>>) {
  try {
    return await ctx.step(step, body, {
      durability: "relaxed",
      retry: { attempts: CALLS_IN_PLACE, backoffMs: 1_000, maxBackoffMs: 30_000 },
    });
  } catch (error) {
    if (error instanceof SlipwayError && error.code === "agent_failed") return { ok: false, failure: toFailure(error) } satisfies Reply<T>;
    throw error;
  }
}

type Asking<R> = Omit<R, "runId" | "invocation" | "call" | "handAnswer">;
type Asked<T> = Asking<AgentRequest<T>> | Asking<WorkspaceRequest<T>>;

/**
 * One invocation as a step. Transient failures are retried; after a pause the same invocation continues. A request that is a function is
 * made inside the step, so that a replay does not make it again.
 */
export function askAgent<T>(
  invoker: Invoker & { readonly dispatcher: AgentDispatcher },
  step: string | StepName<Reply<T>>,
  request: Asked<T> | (() => Promise<Asked<T>>),
): Promise<Reply<T>> {
  const { ctx, dispatcher, call } = invoker;
  const invocation = call(step).operationId;
  return withPauses(invoker, step, (name, handAnswer) =>
    inPlace(invoker, name, async (signal) => {
      const asked = typeof request === "function" ? await request() : request;
      return dispatcher.invoke({ ...asked, runId: ctx.runId, invocation, call: call(name), handAnswer }, signal);
    }),
  );
}
