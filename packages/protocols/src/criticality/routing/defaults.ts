import type { RoleAlias } from "./roles.ts";

type Router = "claude-code" | "opencode";

export interface ModelChoice {
  readonly router: Router;
  readonly model: string;
  /** The provider behind opencode. */
  readonly endpoint: string | null;
}

/** OpenRouter serves models, unless `[models.endpoints]` names another provider for their family. */
const OPENROUTER = "openrouter";

const DEFAULTS: Readonly<
  Record<Exclude<RoleAlias, "fallback_model">, { readonly router: Router; readonly model: string; readonly family: string }>
> = {
  architect_model: { router: "claude-code", model: "claude-opus-4-5", family: "claude" },
  structurer_model: { router: "claude-code", model: "claude-sonnet-4-5", family: "claude" },
  auditor_model: { router: "opencode", model: "kimi-k2", family: "kimi" },
  worker_model: { router: "opencode", model: "minimax-m2", family: "minimax" },
};

/** Replaces a model that only OpenRouter serves. */
const FALLBACK: ModelChoice = { router: "claude-code", model: "claude-sonnet-4-5", endpoint: null };

export function defaultChoice(role: RoleAlias, endpoints: Readonly<Record<string, string>> = {}): ModelChoice {
  if (role === "fallback_model") return FALLBACK;
  const { router, model, family } = DEFAULTS[role];
  return { router, model, endpoint: router === "opencode" ? (endpoints[family] ?? OPENROUTER) : null };
}

/** The model to call while the router of a choice is unavailable: a Claude model instead of opencode, nothing instead of Claude. */
export function fallbackOf({ router }: ModelChoice): ModelChoice | null {
  return router === "opencode" ? FALLBACK : null;
}
