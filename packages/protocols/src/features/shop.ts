import { availableParallelism } from "node:os";
import { supervisorSettings } from "@slipway/kernel/config/supervisor";
import type { Kernel } from "@slipway/kernel/kernel";
import type { AgentDesk } from "../desk.ts";
import { createSlots, type Slots } from "./slots.ts";

/** What a run of this protocol works with. */
export interface Shop {
  readonly kernel: Kernel;
  readonly desk: AgentDesk;
  readonly settings: ReturnType<typeof supervisorSettings>;
  /** How many gates may run at once, over all features. */
  readonly gateSlots: Slots;
}

export function openShop(kernel: Kernel, desk: AgentDesk, processors = availableParallelism()): Shop {
  const settings = supervisorSettings(kernel.configuration.policy, processors);
  return { kernel, desk, settings, gateSlots: createSlots(settings.max_parallel_gate_runs) };
}
