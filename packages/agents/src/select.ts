import { SlipwayError } from "@slipway/durable/errors";
import { isProvider, PROVIDERS, type AgentsConfig, type ProviderName, type WorkerRole } from "@slipway/kernel/config/agents";
import { closest } from "@slipway/kernel/config/hint";

export interface Wishes {
  /** --agent-provider, --agent-model and --provider-config-env. */
  readonly flags: { readonly provider?: string | undefined; readonly model?: string | undefined; readonly configEnv?: string | undefined };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What a run that goes on began with. */
  readonly recorded?: { readonly provider: string; readonly model: string | null; readonly provider_config_env: string | null } | undefined;
  readonly agents: AgentsConfig | null;
}

export interface Selection {
  readonly provider: ProviderName;
  readonly model: string | null;
  /** The name of the variable that holds the provider's credentials or configuration; never its value. */
  readonly configEnv: string | null;
}

/** Flags, then the environment, then what the run began with, then agents.yaml: each value on its own. */
export function selectProvider(role: string, { flags, env, recorded, agents }: Wishes): Selection {
  const runtime = agents?.runtime;
  const override = runtime?.role_provider_overrides[role as WorkerRole];
  const provider = firstOf(
    flags.provider,
    env["SLIPWAY_AGENT_PROVIDER"],
    recorded?.provider,
    override?.provider,
    runtime?.default_provider,
  );
  const model = firstOf(flags.model, env["SLIPWAY_AGENT_MODEL"], recorded?.model, override?.model, runtime?.default_model);
  const configEnv = firstOf(
    flags.configEnv,
    env["SLIPWAY_PROVIDER_CONFIG_ENV"],
    recorded?.provider_config_env,
    runtime?.provider_config_env,
  );
  if (provider === null) throw notConfigured(role);
  if (!isProvider(provider)) throw unsupported(provider);
  if (configEnv !== null && firstOf(env[configEnv]) === null) throw missingCredentials(provider, configEnv);
  return { provider, model, configEnv };
}

function firstOf(...values: readonly (string | null | undefined)[]): string | null {
  return values.find((value) => value != null && value !== "") ?? null;
}

function notConfigured(role: string): SlipwayError {
  return new SlipwayError("agent_provider_not_configured", `Nothing says which agent plays the ${role}.`, {
    role,
    suggested_next_actions: [
      "Set runtime.default_provider in slipway/agents.yaml, or SLIPWAY_AGENT_PROVIDER, or pass --agent-provider.",
      `Known providers: ${PROVIDERS.join(", ")}.`,
    ],
  });
}

function unsupported(provider: string): SlipwayError {
  const meant = closest(provider, PROVIDERS);
  const hint = meant === null ? "" : ` Did you mean "${meant}"?`;
  return new SlipwayError("unsupported_agent_provider", `There is no agent provider "${provider}".${hint}`, {
    provider,
    suggested_next_actions: [`Choose one of ${PROVIDERS.join(", ")}.`],
  });
}

function missingCredentials(provider: ProviderName, variable: string): SlipwayError {
  return new SlipwayError("provider_auth_missing", `The provider ${provider} takes its credentials from ${variable}, which is not set.`, {
    provider,
    variable,
    suggested_next_actions: [`Set ${variable} in the environment, or name another variable.`],
  });
}
