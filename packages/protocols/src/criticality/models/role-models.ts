import type { ProtocolChoice, ProtocolModel } from "@slipway/agents/select";
import { CONFIG_FILE, parseConfig, type CriticalityConfig } from "../config/config.ts";
import { modelOfAlias, modelOfTier } from "../config/models.ts";
import { TIER_MODEL_KEY, TIER_ROLE, TIERS } from "../escalation/attempts.ts";
import { fallbackOf, type ModelChoice } from "../routing/defaults.ts";
import { ROLE_OF_ALIAS, type PlayedAlias } from "./skills.ts";

/** `[models]` of criticality.toml by role, and the default routing where agents.yaml says nothing. */
export async function roleModels(read: (path: string) => Promise<string | null>): Promise<Record<string, ProtocolChoice>> {
  const { config } = parseConfig(await read(CONFIG_FILE), CONFIG_FILE);
  const usual = parseConfig(null, CONFIG_FILE).config;
  const roles = Object.entries(ROLE_OF_ALIAS) as [PlayedAlias, keyof typeof config.models & string][];
  const byRole = Object.fromEntries(
    roles.map(([alias, role]) => {
      const named = config.models[role] === undefined ? null : withFallback(modelOfAlias(config, alias));
      return [role, { named, usual: withFallback(modelOfAlias(usual, alias)) }];
    }),
  );
  return { ...byRole, ...fallbackTiers(config) };
}

/** Only tiers that the configuration names: the others have the model of their role. */
function fallbackTiers(config: CriticalityConfig): Record<string, ProtocolChoice> {
  return Object.fromEntries(
    TIERS.flatMap((tier) => {
      const key = TIER_MODEL_KEY[tier];
      if (key === undefined || config.models[key] === undefined) return [];
      const choice = withFallback(modelOfTier(config, tier));
      return [[key, { role: ROLE_OF_ALIAS[TIER_ROLE[tier]], named: choice, usual: choice }]];
    }),
  );
}

function withFallback(choice: ModelChoice): ProtocolModel {
  const fallback = fallbackOf(choice);
  return { ...providerOf(choice), ...(fallback === null ? {} : { fallback: providerOf(fallback) }) };
}

function providerOf({ router, model, endpoint }: ModelChoice) {
  return router === "claude-code"
    ? ({ provider: "claude", model } as const)
    : ({ provider: "opencode", model: endpoint === null ? model : `${endpoint}/${model}` } as const);
}
