import { z } from "zod";
import { repositoryPath } from "../paths/fields.ts";
import { acpPart } from "./agent-parts/acp.ts";
import { apiPart } from "./agent-parts/api.ts";
import { budgetsPart } from "./agent-parts/budgets.ts";
import { customPart } from "./agent-parts/custom.ts";
import { clientsPart } from "./agent-parts/clients.ts";
import { embeddingsPart } from "./agent-parts/embeddings.ts";
import { pricesPart } from "./agent-parts/prices.ts";
import { roleKey } from "./agent-parts/role-key.ts";
import { tiersPart } from "./agent-parts/tiers.ts";
import { webSearchPart } from "./agent-parts/web-search.ts";
import { errorCodes } from "../schema/shape.ts";
import { parseYamlConfig } from "./yaml.ts";

export const PROVIDERS = ["codex", "claude", "gemini", "opencode", "api", "custom", "manual", "replay"] as const;

/** `acp:<name>` is an agent of runtime.acp. */
export type ProviderName = (typeof PROVIDERS)[number] | `acp:${string}`;

export function isProvider(name: string): name is ProviderName {
  return (PROVIDERS as readonly string[]).includes(name) || /^acp:[a-z][a-z0-9-]*$/.test(name);
}

const text = z.string().min(1);
const provider = z
  .custom<ProviderName>((value) => typeof value === "string" && isProvider(value), `must be one of ${PROVIDERS.join(", ")} or acp:<name>`)
  .register(errorCodes, { code: "unsupported_agent_provider" });
const environmentName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);
/** How long a provider that cannot be reached is waited for before a person is asked. */
export const OUTAGE_MINUTES = 30;

const role = z.strictObject({ system_prompt_path: repositoryPath.optional() });
const override = z.strictObject({ provider: provider.optional(), model: text.optional() });

export const agentsSchema = z.strictObject({
  version: z.literal(1),
  roles: z.record(roleKey, role),
  missing_prompt_behavior: z.enum(["ignore", "error"]).default("ignore"),
  runtime: z
    .strictObject({
      default_provider: provider.optional(),
      default_model: text.optional(),
      provider_config_env: environmentName.optional(),
      role_provider_overrides: z.record(roleKey, override).prefault({}),
      /** A command that reads one JSON request on stdin and writes one JSON reply on stdout. */
      custom: customPart.optional(),
      /** The folder with recorded answers; relative to the repository unless absolute. */
      replay: z.strictObject({ cassette: text }).optional(),
      api: apiPart.optional(),
      ...clientsPart,
      acp: acpPart.optional(),
      web_search: webSearchPart.optional(),
      embeddings: embeddingsPart.optional(),
      budgets: budgetsPart.optional(),
      prices: pricesPart.optional(),
      tiers: tiersPart(override).optional(),
      /** Replacements, in this order, for a provider that is not installed, not signed in or not reachable. */
      fallbacks: z.array(override.required({ provider: true })).optional(),
      outage_minutes: z
        .number()
        .min(0)
        .max(7 * 24 * 60)
        .default(OUTAGE_MINUTES),
    })
    .prefault({}),
});

export type AgentsConfig = z.output<typeof agentsSchema>;

export function parseAgents(file: string, input: string | Uint8Array): AgentsConfig {
  return parseYamlConfig(file, input, agentsSchema);
}
