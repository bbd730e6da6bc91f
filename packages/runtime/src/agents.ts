import { resolve } from "node:path";
import { openProvider, type OpenContext } from "@slipway/agents/open";
import type { Provider } from "@slipway/agents/provider";
import { openBook, type InvocationBook } from "@slipway/agents/invocation-book";
import { cassetteWriter } from "@slipway/agents/record";
import { fallbacksFor, selectProvider, type ProtocolChoice, type Selection } from "@slipway/agents/select";
import { withConfiguredPrompt } from "@slipway/agents/system-prompt";
import type { Tracing } from "@slipway/agents/telemetry/tracing";
import { agentSecrets } from "@slipway/agents/transcripts/secrets";
import type { Kernel } from "@slipway/kernel/kernel";
import { createRedactor } from "@slipway/kernel/host/redaction/redactor";
import { openDispatcher, type AgentDispatcher, type ChosenProvider } from "@slipway/protocols/dispatch/dispatcher";
import type { RunAgent, RunAgents } from "@slipway/protocols/dispatch/run-agents";
import { assertKnownRoles, roleKeys } from "@slipway/protocols/dispatch/role-keys";
import { protocolModels } from "./protocol-models.ts";
import { protocolRole, roleNames } from "@slipway/protocols/dispatch/roles";
import { readerAt } from "@slipway/kernel/config/committed-files";
import type { Caller } from "@slipway/protocols/surface/caller";

/** The choice of agents on the command line; every field is optional. */
export interface AgentChoice {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly configEnv?: string | undefined;
  readonly cassette?: string | undefined;
  /** Also record every answer in this cassette. */
  readonly record?: string | undefined;
}

interface DispatcherSettings {
  readonly kernel: Kernel;
  readonly io: Caller;
  readonly choice: AgentChoice;
  /** The protocol of the current run; roles of different protocols may share a name. */
  readonly protocol: () => string;
  /** The agents recorded with the current run. */
  readonly recorded: () => RunAgents | null;
  readonly tracing?: Tracing | undefined;
  readonly onWarning: (text: string) => void;
}

export function dispatcherFor(options: DispatcherSettings): AgentDispatcher {
  const { kernel, io, choice, protocol, recorded, onWarning } = options;
  const { agents, policy } = kernel.configuration;
  const readFile = readerAt(kernel.repository, `refs/heads/${policy.worktree.base_branch}`);
  const opened = new Map<string, Promise<Provider>>();

  function open(selection: Selection): Promise<Provider> {
    const key = JSON.stringify(selection);
    const found = opened.get(key) ?? openProvider(contextOf(kernel, io, choice), selection);
    opened.set(key, found);
    return found;
  }

  async function chosen(selection: Selection): Promise<ChosenProvider> {
    const provider = await open(selection).catch(failingProvider);
    return { provider, model: selection.model, configRef: selection.configEnv };
  }

  return openDispatcher({
    kernel,
    protocol,
    onWarning,
    book: bookFor(options),
    role: async (role, owner) => {
      const keys = roleKeys({ protocol: owner, role });
      return withConfiguredPrompt(await protocolRole(owner, role, readFile), agents, readFile, keys);
    },
    provider: async (role, { modelKey = role, ...asked }, owner) => {
      try {
        const models = await protocolModels(owner, readFile);
        const own = models[modelKey] ?? models[role];
        const keys = callKeys(owner, role, modelKey);
        const begun = (key: string) => recordedAgent(recorded(), owner, key, protocol());
        const selection = selectProvider(role, {
          flags: choice,
          env: io.env,
          recorded: begun(modelKey) ?? begun(role),
          agents,
          protocol: own,
          keys,
          ...asked,
        });
        const fallbacks = await Promise.all(fallbacksFor(selection, agents, own).map(chosen));
        return { ...(await chosen(selection)), fallbacks };
      } catch (error) {
        return { provider: failingProvider(error), model: null };
      }
    },
  });
}

/** A call with a model of its own may be configured by its own key, before that of its role. */
function callKeys(protocol: string, role: string, key: string): readonly string[] {
  return [...(key === role ? [] : [`${protocol}/${key}`]), ...roleKeys({ protocol, role })];
}

/** A run records the roles of its own protocol by their names; those of another one, where it does, as `protocol/role`. */
function recordedAgent(agents: RunAgents | null, owner: string, key: string, own: string): RunAgent | undefined {
  return agents?.[`${owner}/${key}`] ?? (owner === own ? agents?.[key] : undefined);
}

function bookFor({ kernel, io, choice, recorded, tracing, onWarning }: DispatcherSettings): InvocationBook {
  const { records, clock, configuration } = kernel;
  const { layout, objects } = records;
  const redactor = () => {
    const begun = Object.values(recorded() ?? {}).map(({ provider_config_env }) => provider_config_env);
    const named = [choice.configEnv ?? null, io.env["SLIPWAY_PROVIDER_CONFIG_ENV"] ?? null, ...begun];
    return createRedactor({ secrets: agentSecrets(io.env, configuration.agents, named) });
  };
  const folder = choice.record === undefined ? null : resolve(io.cwd, choice.record);
  const cassette = folder === null ? undefined : cassetteWriter({ folder, description: "Recorded with --record.", clock });
  return openBook({ layout, objects, clock, redactor, cassette, tracing, onWarning });
}

/** Fails at the call instead of at opening, so that the run asks a person, who can fix the choice of agents. */
function failingProvider(error: unknown): Provider {
  return { name: "none", works: "prompt", invoke: () => Promise.reject(error) };
}

interface Asked {
  readonly kernel: Kernel;
  readonly io: Caller;
  readonly choice: AgentChoice;
  readonly protocol: string;
}

type RoleSelection = readonly [key: string, selection: Selection, protocol: ProtocolChoice | undefined];

/** The provider of each role, and of calls with a model of their own, by the current options, environment and configuration. */
async function selectionsNow({ kernel, io, choice, protocol }: Asked): Promise<RoleSelection[]> {
  const { agents, policy } = kernel.configuration;
  const readFile = readerAt(kernel.repository, `refs/heads/${policy.worktree.base_branch}`);
  const roles = await roleNames(protocol);
  const models = await protocolModels(protocol, readFile);
  const more = Object.entries(models).flatMap(([key, { role }]) => (role === undefined ? [] : [[key, role] as const]));
  return Promise.all(
    [...roles.map((role) => [role, role] as const), ...more].map(async ([key, role]) => {
      const { tier } = await protocolRole(protocol, role, readFile);
      const own = models[key];
      const keys = callKeys(protocol, role, key);
      return [key, selectProvider(role, { flags: choice, env: io.env, agents, protocol: own, keys, tier }), own] as const;
    }),
  );
}

/** The agents that a run is recorded with. */
export async function agentsNow(asked: Asked): Promise<RunAgents> {
  const selections = await selectionsNow(asked);
  return Object.fromEntries(
    selections.map(([key, { provider, model, configEnv }]) => [key, { provider, model, provider_config_env: configEnv }]),
  );
}

/** Refuses a wrong choice of agents before a run is recorded. A provider may be unavailable if one of its fallbacks is available. */
export async function assertAgents(asked: Asked): Promise<void> {
  const { kernel, io, choice } = asked;
  await assertKnownRoles(kernel.configuration.agents);
  const context = contextOf(kernel, io, choice);
  for (const [, selection, own] of await selectionsNow(asked)) {
    const choices = [selection, ...fallbacksFor(selection, kernel.configuration.agents, own)];
    const opened = await Promise.allSettled(choices.map((one) => openProvider(context, one)));
    const [first] = opened;
    if (first?.status === "rejected" && opened.every(({ status }) => status === "rejected")) throw first.reason;
  }
}

function contextOf(kernel: Kernel, io: Caller, { cassette }: AgentChoice): OpenContext {
  return { agents: kernel.configuration.agents, env: io.env, root: kernel.repository.root, cwd: io.cwd, cassette };
}
