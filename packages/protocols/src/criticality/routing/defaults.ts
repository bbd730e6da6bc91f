import { SlipwayError } from "@slipway/agents/errors";
import type { RoleAlias } from "./roles.ts";

export type Router = "claude-code" | "opencode";

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

/** The model to call: Claude if opencode is not available; an error if Claude is not available either. */
export function reachable(choice: ModelChoice, isAvailable: (router: Router) => boolean): ModelChoice {
  if (isAvailable(choice.router)) return choice;
  if (choice.router === "opencode" && isAvailable("claude-code")) return FALLBACK;
  throw new SlipwayError("provider_unavailable", `Neither ${choice.model} nor a Claude model is available.`, {
    router: "claude-code",
    model: choice.model,
    suggested_next_actions: ["Check `slipway doctor` for claude, then resume the run."],
  });
}
