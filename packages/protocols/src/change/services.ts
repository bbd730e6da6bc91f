import { availableParallelism } from "node:os";
import { supervisorSettings } from "@slipway/kernel/config/supervisor";
import type { Kernel } from "@slipway/kernel/kernel";
import type { AgentDispatcher } from "../dispatch/dispatcher.ts";

/** The services of a run that delivers changes. */
export interface ChangeServices {
  readonly kernel: Kernel;
  readonly dispatcher: AgentDispatcher;
  readonly settings: ReturnType<typeof supervisorSettings>;
}

export function openChangeServices(kernel: Kernel, dispatcher: AgentDispatcher): ChangeServices {
  return { kernel, dispatcher, settings: supervisorSettings(kernel.configuration.policy, availableParallelism()) };
}
