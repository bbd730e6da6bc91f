import type { Ctx } from "@slipway/durable/ctx";
import { SlipwayError } from "@slipway/agents/errors";
import { toFailure } from "@slipway/durable/errors";
import type { StepName } from "@slipway/durable/step-name";
import type { AgentDispatcher, AgentRequest, Reply } from "./dispatcher.ts";
import { withPauses, type Invoker } from "./pauses.ts";

/** How often a worker is called for one attempt when it ends without an answer. More of the same is a person's to decide. */
export const CALLS_IN_PLACE = 3;

/** Trouble on the way is tried again in place; when it does not pass, it is this attempt's failure, not the run's. */
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

/** One invocation as a step of its own: tried again in place, and taken up again after every pause under the same invocation. */
export function askAgent<T>(
  waiting: Invoker & { readonly dispatcher: AgentDispatcher },
  step: string | StepName<Reply<T>>,
  request: Omit<AgentRequest<T>, "runId" | "invocation" | "call" | "said">,
): Promise<Reply<T>> {
  const { ctx, dispatcher, call } = waiting;
  const invocation = call(step).operationId;
  return withPauses(waiting, step, (name, said) =>
    inPlace(waiting, name, (signal) => dispatcher.invoke({ ...request, runId: ctx.runId, invocation, call: call(name), said }, signal)),
  );
}
