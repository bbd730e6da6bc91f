import { SlipwayError } from "./errors.ts";
import { isProvider, PROVIDERS, type AgentsConfig, type ProviderName } from "@slipway/kernel/config/agents";
import type { Tier } from "@slipway/kernel/config/agent-parts/tiers";
import { closest } from "@slipway/kernel/schema/hint";

export interface Wishes {
  /** --agent-provider, --agent-model and --provider-config-env. */
  readonly flags: { readonly provider?: string | undefined; readonly model?: string | undefined; readonly configEnv?: string | undefined };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The choice recorded when the run began. */
  readonly recorded?: { readonly provider: string; readonly model: string | null; readonly provider_config_env: string | null } | undefined;
  readonly agents: AgentsConfig | null;
  /** The choice of the protocol's own configuration, and what it uses where nothing is configured. */
  readonly protocol?: ProtocolChoice | undefined;
  /** The role's keys in agents.yaml, first match wins; default: its name. */
  readonly keys?: readonly string[] | undefined;
  /** The tier of the role; a raised tier precedes the recorded choice. */
  readonly tier?: Tier | undefined;
  readonly escalated?: boolean | undefined;
}

export interface ProtocolChoice {
  /** Where the choice is not for a role but for some calls of one: that role. */
  readonly role?: string;
  readonly named: ProtocolModel | null;
  readonly usual: ProtocolModel;
}

export interface ProtocolModel {
  readonly provider: string;
  readonly model: string;
  /** Takes its place while the provider is unavailable, unless agents.yaml lists fallbacks. */
  readonly fallback?: { readonly provider: ProviderName; readonly model: string };
}

export interface Selection {
  readonly provider: ProviderName;
  readonly model: string | null;
  /** The name of the variable that holds the provider's credentials or configuration; never its value. */
  readonly configEnv: string | null;
}

/** Sources of a choice, by precedence. */
const ORIGINS = ["flag", "environment", "escalation", "run", "role override", "protocol", "tier", "default", "protocol default"] as const;
export type Origin = (typeof ORIGINS)[number];

/** A choice with its sources. */
export interface Explained extends Selection {
  readonly why: { readonly provider: Origin; readonly model: Origin | null };
}

export function selectProvider(role: string, wishes: Wishes): Selection {
  const { provider, model, configEnv } = explainSelection(role, wishes);
  return { provider, model, configEnv };
}

/**
 * Flags, then environment, recorded choice, agents.yaml for the role, the protocol's own configuration, and agents.yaml for tier and
 * default. Each value is resolved separately.
 */
export function explainSelection(
  role: string,
  { flags, env, recorded, agents, protocol, keys = [role], tier, escalated = false }: Wishes,
): Explained {
  const runtime = agents?.runtime;
  const override = keys.map((key) => runtime?.role_provider_overrides[key]).find((one) => one !== undefined);
  const ofTier = tier === undefined ? undefined : runtime?.tiers?.[tier];
  const raised = escalated ? ofTier : undefined;
  const provider = firstSet({
    flag: flags.provider,
    environment: env["SLIPWAY_AGENT_PROVIDER"],
    escalation: raised?.provider,
    run: recorded?.provider,
    "role override": override?.provider,
    protocol: protocol?.named?.provider,
    tier: ofTier?.provider,
    default: runtime?.default_provider,
    "protocol default": protocol?.usual.provider,
  });
  if (provider === null) throw notConfigured(role);
  // The model of a tier belongs to the provider of that tier.
  const tiersModel = (choice: typeof ofTier) =>
    choice?.provider === undefined || choice.provider === provider.value ? choice?.model : null;
  const ownModel = (choice: ProtocolChoice["usual"] | null | undefined) => (choice?.provider === provider.value ? choice.model : null);
  const model = firstSet({
    flag: flags.model,
    environment: env["SLIPWAY_AGENT_MODEL"],
    escalation: tiersModel(raised),
    run: recorded?.model,
    "role override": override?.model,
    protocol: ownModel(protocol?.named),
    tier: tiersModel(ofTier),
    default: runtime?.default_model,
    "protocol default": provider.origin === "protocol default" ? ownModel(protocol?.usual) : null,
  });
  const configEnv = firstOf(
    flags.configEnv,
    env["SLIPWAY_PROVIDER_CONFIG_ENV"],
    recorded?.provider_config_env,
    runtime?.provider_config_env,
  );
  if (!isProvider(provider.value)) throw unsupported(provider.value);
  if (configEnv !== null && firstOf(env[configEnv]) === null) throw missingCredentials(provider.value, configEnv);
  const why = { provider: provider.origin, model: model?.origin ?? null };
  return { provider: provider.value, model: model?.value ?? null, configEnv, why };
}

function firstSet(values: Readonly<Record<Origin, string | null | undefined>>): { readonly origin: Origin; readonly value: string } | null {
  const origin = ORIGINS.find((one) => firstOf(values[one]) !== null);
  return origin === undefined ? null : { origin, value: values[origin] as string };
}

/** The fallbacks of a provider, in order: those of agents.yaml, otherwise the protocol's own. */
export function fallbacksFor({ provider, model }: Selection, agents: AgentsConfig | null, protocol?: ProtocolChoice): Selection[] {
  const own = [protocol?.named, protocol?.usual].find((one) => one?.provider === provider && one.model === model)?.fallback;
  return (agents?.runtime.fallbacks ?? (own === undefined ? [] : [own]))
    .map((choice) => ({ provider: choice.provider, model: choice.model ?? null, configEnv: null }))
    .filter((choice) => choice.provider !== provider || choice.model !== model);
}

function firstOf(...values: readonly (string | null | undefined)[]): string | null {
  return values.find((value) => value != null && value !== "") ?? null;
}

function notConfigured(role: string): SlipwayError {
  return new SlipwayError("agent_provider_not_configured", `No agent is configured for the role \`${role}\`.`, {
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
