import { availableParallelism } from "node:os";
import { supervisorSettings } from "@slipway/kernel/config/supervisor";
import type { Kernel } from "@slipway/kernel/kernel";
import type { AgentDispatcher } from "../dispatch/dispatcher.ts";

/** The services of a run that delivers changes. */
export interface ChangeServices {
  readonly kernel: Kernel;
  readonly dispatcher: AgentDispatcher;
  readonly settings: ReturnType<typeof supervisorSettings>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called when the services are closed: a run that waits for a person never returns. */
  readonly whenClosed: (close: () => Promise<void>) => void;
}

export interface OpenedChangeServices extends ChangeServices {
  readonly close: () => Promise<void>;
}

export function openChangeServices(kernel: Kernel, dispatcher: AgentDispatcher, env: ChangeServices["env"] = {}): OpenedChangeServices {
  const closing: (() => Promise<void>)[] = [];
  return {
    kernel,
    dispatcher,
    settings: supervisorSettings(kernel.configuration.policy, availableParallelism()),
    env,
    whenClosed: (close) => void closing.push(close),
    close: async () => void (await Promise.allSettled(closing.splice(0).map((close) => close()))),
  };
}
