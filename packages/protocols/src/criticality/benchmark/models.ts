import { SlipwayError } from "@slipway/agents/errors";
import { isProvider, type AgentsConfig, type ProviderName } from "@slipway/kernel/config/agents";
import { closest } from "@slipway/kernel/schema/hint";
import { parse, stringify } from "smol-toml";
import type { RunAgent, RunAgents } from "../../dispatch/run-agents.ts";
import { CONFIG_FILE } from "../config/config.ts";
import { isTable } from "../config/old-keys.ts";
import { TIER_ROLE, TIERS, type InjectionTier } from "../escalation/attempts.ts";
import { roleModels } from "../models/role-models.ts";
import { ROLE_OF_ALIAS } from "../models/skills.ts";
import type { BenchmarkModels } from "./result.ts";

/** The roles that take part in Injection, by the tier in which they do. */
const ROLE_OF_TIER: Readonly<Record<InjectionTier, string>> = {
  worker: ROLE_OF_ALIAS[TIER_ROLE.worker],
  fallback1: ROLE_OF_ALIAS[TIER_ROLE.fallback1],
  fallback2: ROLE_OF_ALIAS[TIER_ROLE.fallback2],
};

/** `ALIAS=MODEL` of the command line. */
export interface ModelWish {
  /** The option that it stands in. */
  readonly option: string;
  readonly role: string;
  readonly tier: InjectionTier;
  /** As in `[models]` of criticality.toml, or `PROVIDER:MODEL`. */
  readonly model: string;
}

const MODEL = /^[\w.@+:/-]{1,200}$/;

/** Reads one `ALIAS=MODEL`. The alias is a key of `[models]`, with or without `_model`. */
export function readWish(option: string, text: string): ModelWish {
  const [alias = "", ...rest] = text.trim().split("=");
  const model = rest.join("=");
  const role = alias.replace(/_model$/, "");
  const tier = TIERS.find((one) => ROLE_OF_TIER[one] === role);
  const known = Object.values(ROLE_OF_TIER);
  if (tier === undefined) throw unknownAlias(option, alias, known);
  if (MODEL.test(model)) return { option, role, tier, model };
  throw refused(option, `${option} ${alias}: ${JSON.stringify(model.slice(0, 80))} is not the name of a model`, [
    `Name it as in [models] of ${CONFIG_FILE}, or with its provider, as in ${option} ${role}=api:NAME.`,
  ]);
}

/** The models of several roles, separated by commas. */
export function readWishes(option: string, text: string): ModelWish[] {
  const wishes = text.split(",").map((one) => readWish(option, one));
  const twice = wishes.find(({ role }, index) => wishes.findIndex((other) => other.role === role) !== index);
  if (twice === undefined) return wishes;
  throw refused(option, `${option} names a model for ${twice.role} twice`, ["Name one model for each role."]);
}

function unknownAlias(option: string, alias: string, known: readonly string[]): SlipwayError {
  const said = JSON.stringify(alias.slice(0, 80));
  if (alias.replace(/_model$/, "") === "auditor")
    return refused(option, `${option} ${said}: the auditor takes no part in Injection, which the suite measures`, [
      `Measure one of ${known.join(", ")}.`,
    ]);
  const meant = closest(alias, known);
  return refused(option, `${option}: there is no alias ${said}`, [
    ...(meant === null ? [] : [`Did you mean ${meant}?`]),
    `Write ALIAS=MODEL with one of ${known.join(", ")}.`,
  ]);
}

export function refused(field: string, message: string, suggested_next_actions: readonly string[]): SlipwayError {
  return new SlipwayError("invalid_cli_args", `${message}.`, { field, suggested_next_actions });
}

/** The agent that the model means: as the configuration would choose it, unless a provider is named. */
export async function agentFor(
  { role, model }: ModelWish,
  configText: string | null,
): Promise<RunAgent & { readonly provider: ProviderName }> {
  const [, provider = "", named = null] = /^(acp:[a-z][a-z0-9-]*|[a-z]+)(?::(.+))?$/.exec(model) ?? [];
  if (isProvider(provider)) return { provider, model: named, provider_config_env: null };
  const table = configText === null ? {} : parse(configText);
  const models = isTable(table["models"]) ? table["models"] : {};
  const chosen = (await roleModels(async () => stringify({ ...table, models: { ...models, [role]: model } })))[role]?.named;
  if (chosen == null || !isProvider(chosen.provider)) throw new TypeError(`The configuration has no model for ${role}.`);
  return { provider: chosen.provider, model: chosen.model, provider_config_env: null };
}

export function agentText({ provider, model }: Pick<RunAgent, "provider" | "model">): string {
  return model === null ? provider : `${provider}:${model}`;
}

/** The models that can be called if the attempts begin with this tier. */
export function measuredModels(agents: RunAgents, first: InjectionTier): BenchmarkModels {
  const roles = TIERS.slice(TIERS.indexOf(first)).map((tier) => ROLE_OF_TIER[tier]);
  return Object.fromEntries(roles.flatMap((role) => (agents[role] === undefined ? [] : [[role, agentText(agents[role])]])));
}

/** Where the configuration has to change for the model to play the role. A role override of agents.yaml precedes criticality.toml. */
export function changeFor({ role, model }: ModelWish, agent: RunAgent, agents: AgentsConfig | null): string {
  const key = `criticality/${role}`;
  const isNamed = agentText(agent) === model;
  if (!isNamed && agents?.runtime.role_provider_overrides[key] === undefined)
    return `in ${CONFIG_FILE}, below [models]: ${role} = ${JSON.stringify(model)}`;
  const value = [`provider: ${agent.provider}`, ...(agent.model === null ? [] : [`model: ${JSON.stringify(agent.model)}`])].join(", ");
  return `in slipway/agents.yaml, below runtime.role_provider_overrides: ${key}: { ${value} }`;
}
