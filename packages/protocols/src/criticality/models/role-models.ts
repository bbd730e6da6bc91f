import type { ProtocolChoice } from "@slipway/agents/select";
import { CONFIG_FILE, parseConfig } from "../config/config.ts";
import { modelOfAlias } from "../config/models.ts";
import type { ModelChoice } from "../routing/defaults.ts";
import { ROLE_OF_ALIAS, type PlayedAlias } from "./skills.ts";

/** `[models]` of criticality.toml by role, and the default routing where agents.yaml says nothing. */
export async function roleModels(read: (path: string) => Promise<string | null>): Promise<Record<string, ProtocolChoice>> {
  const { config } = parseConfig(await read(CONFIG_FILE), CONFIG_FILE);
  const usual = parseConfig(null, CONFIG_FILE).config;
  const roles = Object.entries(ROLE_OF_ALIAS) as [PlayedAlias, keyof typeof config.models & string][];
  return Object.fromEntries(
    roles.map(([alias, role]) => {
      const named = config.models[role] === undefined ? null : providerOf(modelOfAlias(config, alias));
      return [role, { named, usual: providerOf(modelOfAlias(usual, alias)) }];
    }),
  );
}

function providerOf({ router, model, endpoint }: ModelChoice): { provider: string; model: string } {
  return router === "claude-code"
    ? { provider: "claude", model }
    : { provider: "opencode", model: endpoint === null ? model : `${endpoint}/${model}` };
}
