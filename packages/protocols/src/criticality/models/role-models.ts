import type { ProtocolChoice, ProtocolModel } from "@slipway/agents/select";
import { CONFIG_FILE, parseConfig } from "../config/config.ts";
import { modelOfAlias } from "../config/models.ts";
import { fallbackOf, type ModelChoice } from "../routing/defaults.ts";
import { ROLE_OF_ALIAS, type PlayedAlias } from "./skills.ts";

/** `[models]` of criticality.toml by role, and the default routing where agents.yaml says nothing. */
export async function roleModels(read: (path: string) => Promise<string | null>): Promise<Record<string, ProtocolChoice>> {
  const { config } = parseConfig(await read(CONFIG_FILE), CONFIG_FILE);
  const usual = parseConfig(null, CONFIG_FILE).config;
  const roles = Object.entries(ROLE_OF_ALIAS) as [PlayedAlias, keyof typeof config.models & string][];
  return Object.fromEntries(
    roles.map(([alias, role]) => {
      const named = config.models[role] === undefined ? null : withFallback(modelOfAlias(config, alias));
      return [role, { named, usual: withFallback(modelOfAlias(usual, alias)) }];
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
