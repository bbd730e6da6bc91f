import { resolve } from "node:path";
import { openProvider, type OpenContext } from "@slipway/agents/open";
import type { Provider } from "@slipway/agents/provider";
import { recording } from "@slipway/agents/record";
import { selectProvider, type Selection } from "@slipway/agents/select";
import { withConfiguredPrompt } from "@slipway/agents/system-prompt";
import type { Kernel } from "@slipway/kernel/kernel";
import { openDesk, type AgentDesk } from "@slipway/protocols/desk";
import type { RunAgents } from "@slipway/protocols/features/protocol";
import { featuresRole } from "@slipway/protocols/features/roles";
import { WORKER_OUTPUT } from "@slipway/protocols/features/schemas";
import type { Arguments } from "./command.ts";
import { readerAt } from "@slipway/kernel/config/committed";
import type { Io } from "./io.ts";

/** What the command line says about who plays the roles; everything may be left out. */
export interface AgentChoice {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly configEnv?: string | undefined;
  readonly cassette?: string | undefined;
  /** Write every answer to this cassette too. */
  readonly record?: string | undefined;
}

export function agentChoice(args: Arguments): AgentChoice {
  return {
    provider: args.text("agent-provider"),
    model: args.text("agent-model"),
    configEnv: args.text("provider-config-env"),
    cassette: args.text("cassette"),
    record: args.text("record"),
  };
}

interface DeskFor {
  readonly kernel: Kernel;
  readonly io: Io;
  readonly choice: AgentChoice;
  /** Who plays the roles in the run that is being carried out. */
  readonly recorded: () => RunAgents | null;
  readonly onWarning: (text: string) => void;
}

export function deskFor({ kernel, io, choice, recorded: begunWith, onWarning }: DeskFor): AgentDesk {
  const { agents, policy } = kernel.configuration;
  const readFile = readerAt(kernel.repository, `refs/heads/${policy.worktree.base_branch}`);
  const opened = new Map<string, Promise<Provider>>();

  function open(selection: Selection): Promise<Provider> {
    const found = opened.get(selection.provider) ?? openProvider(contextOf(kernel, io, choice), selection).then(recorded);
    opened.set(selection.provider, found);
    return found;
  }

  function recorded(provider: Provider): Provider {
    if (choice.record === undefined) return provider;
    return recording(provider, {
      folder: resolve(io.cwd, choice.record),
      description: `Recorded from the provider ${provider.name}.`,
      clock: kernel.clock,
    });
  }

  return openDesk({
    kernel,
    onWarning,
    role: async (name) => withConfiguredPrompt(await featuresRole(name, readFile), agents, readFile),
    provider: async (role) => {
      try {
        const selection = selectProvider(role, { flags: choice, env: io.env, recorded: begunWith()?.[role], agents });
        return { provider: await open(selection), model: selection.model, configRef: selection.configEnv };
      } catch (error) {
        return { provider: absent(error), model: null };
      }
    },
  });
}

/** So that a run asks a person instead of ending: who plays the roles can be mended while it waits. */
function absent(error: unknown): Provider {
  return { name: "none", works: "prompt", invoke: () => Promise.reject(error) };
}

/** Who plays which role by what is said now; what a run is recorded with. */
export function agentsNow(kernel: Kernel, io: Io, choice: AgentChoice): RunAgents {
  const { agents } = kernel.configuration;
  return Object.fromEntries(
    Object.keys(WORKER_OUTPUT).map((role) => {
      const { provider, model, configEnv } = selectProvider(role, { flags: choice, env: io.env, agents });
      return [role, { provider, model, provider_config_env: configEnv }];
    }),
  );
}

/** Before a run is recorded, every mistake in the choice is the caller's to correct. */
export async function assertAgents(kernel: Kernel, io: Io, choice: AgentChoice): Promise<void> {
  for (const role of Object.keys(WORKER_OUTPUT)) {
    const selection = selectProvider(role, { flags: choice, env: io.env, agents: kernel.configuration.agents });
    await openProvider(contextOf(kernel, io, choice), selection);
  }
}

function contextOf(kernel: Kernel, io: Io, { cassette }: AgentChoice): OpenContext {
  return { agents: kernel.configuration.agents, env: io.env, root: kernel.repository.root, cwd: io.cwd, cassette };
}
