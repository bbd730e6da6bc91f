import type { AgentDispatcher } from "../dispatch/dispatcher.ts";
import { GivenUp } from "../dispatch/given-up.ts";
import type { Invoker } from "../dispatch/pauses.ts";
import { orchestratorCall, type ChangeRun } from "./change-run.ts";
import { endFeature } from "./end-feature.ts";
import { mustPerform } from "./perform.ts";

/** Asks agents on behalf of a change. A person who gives up at a pause ends the change. */
export function invokerOf(change: ChangeRun): Invoker & { readonly dispatcher: AgentDispatcher } {
  const { ctx, services, id } = change;
  return {
    ctx,
    kernel: services.kernel,
    dispatcher: services.dispatcher,
    subject: id,
    about: { feature_id: id },
    givingUp: "end this feature; its work stays reachable",
    call: (name) => orchestratorCall(change, name),
    operate: (name, body) => mustPerform(change, name, body),
    giveUp: (name, comment) => giveUp(change, name, comment),
  };
}

async function giveUp(change: ChangeRun, name: string, comment = "given up by a person"): Promise<never> {
  const step = `give-up:${name}`;
  await change.ctx.step(step, () => endFeature(change.services.kernel, orchestratorCall(change, step), change.id, comment));
  throw new GivenUp(change.id);
}
