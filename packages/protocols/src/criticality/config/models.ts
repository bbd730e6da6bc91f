import type { InjectionTier } from "../escalation/attempts.ts";
import { defaultChoice, type ModelChoice } from "../routing/defaults.ts";
import type { RoleAlias } from "../routing/roles.ts";
import type { CriticalityConfig } from "./config.ts";

type Models = CriticalityConfig["models"];

const KEY_OF_ALIAS = {
  architect_model: "architect",
  auditor_model: "auditor",
  structurer_model: "structurer",
  worker_model: "worker",
} as const;

/** The model that plays an alias. `fallback_model` is the model of the first fallback tier. */
export function modelOfAlias({ models }: Pick<CriticalityConfig, "models">, alias: RoleAlias): ModelChoice {
  if (alias === "fallback_model") return modelOfTier({ models }, "fallback1");
  return choose(models, alias, models[KEY_OF_ALIAS[alias]]);
}

/** The model of an escalation tier. A fallback tier has the model of its alias, unless its own key names another. */
export function modelOfTier({ models }: Pick<CriticalityConfig, "models">, tier: InjectionTier): ModelChoice {
  if (tier === "worker") return choose(models, "worker_model", models.worker);
  return tier === "fallback1"
    ? choose(models, "structurer_model", models.worker_fallback_1 ?? models.structurer)
    : choose(models, "architect_model", models.worker_fallback_2 ?? models.architect);
}

const OWN_ROUTER = "claude";

function choose(models: Models, alias: Exclude<RoleAlias, "fallback_model">, named: string | undefined): ModelChoice {
  const providers = Object.fromEntries(
    Object.entries(models.endpoints).map(([family, endpoint]) => [family, typeof endpoint === "string" ? endpoint : endpoint.provider]),
  );
  const usual = defaultChoice(alias, providers);
  const model = named ?? usual.model;
  const family = familyOf(model);
  if (family === OWN_ROUTER) return { router: "claude-code", model, endpoint: null };
  const endpoint = models.endpoints[family];
  const served = typeof endpoint === "object" ? (endpoint.model ?? model) : model;
  return { router: "opencode", model: served, endpoint: providers[family] ?? "openrouter" };
}

/** The first word of a name, without the vendor: `vendor/name-2` is of the family `name`. */
function familyOf(model: string): string {
  return (model.split("/").at(-1) ?? model).split(/[-:.]/)[0] ?? model;
}
