import { availableParallelism } from "node:os";
import { supervisorSettings } from "@slipway/kernel/config/supervisor";
import type { Kernel } from "@slipway/kernel/kernel";
import type { AgentDesk } from "../desk.ts";

/** What a run of this protocol works with. */
export interface Shop {
  readonly kernel: Kernel;
  readonly desk: AgentDesk;
  readonly settings: ReturnType<typeof supervisorSettings>;
}

export function openShop(kernel: Kernel, desk: AgentDesk): Shop {
  return { kernel, desk, settings: supervisorSettings(kernel.configuration.policy, availableParallelism()) };
}
