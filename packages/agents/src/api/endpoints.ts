import { SlipwayError } from "../errors.ts";
import type { AgentsConfig } from "@slipway/kernel/config/agents";
import { closest } from "@slipway/kernel/schema/hint";

export type EndpointKind = "anthropic" | "openai" | "google" | "openai-compatible";

/** An HTTP endpoint of models. */
export interface Endpoint {
  readonly name: string;
  readonly kind: EndpointKind;
  readonly baseUrl: string;
  /** The variable with the key; null if none is needed. */
  readonly keyEnv: string | null;
  /** Whether a schema may be sent without tools. */
  readonly schemas: boolean;
}

const BUILT_IN: readonly Endpoint[] = [
  endpoint("anthropic", "anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
  endpoint("openai", "openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
  endpoint("google", "google", "https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY"),
  endpoint("openrouter", "openai-compatible", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
  endpoint("ollama", "openai-compatible", "http://127.0.0.1:11434/v1", null),
  endpoint("vllm", "openai-compatible", "http://127.0.0.1:8000/v1", null),
  endpoint("lmstudio", "openai-compatible", "http://127.0.0.1:1234/v1", null),
];

/** All endpoints, with their settings from agents.yaml. */
export function endpointsOf(agents: AgentsConfig | null): readonly Endpoint[] {
  const configured = Object.entries(agents?.runtime.api?.endpoints ?? {});
  const own = configured.map(([name, { kind, base_url, key_env }]): Endpoint => {
    const known = BUILT_IN.find((builtIn) => builtIn.name === name && builtIn.kind === kind);
    const baseUrl =
      base_url ?? known?.baseUrl ?? BUILT_IN.find((builtIn) => builtIn.kind === kind && kind !== "openai-compatible")?.baseUrl;
    if (baseUrl === undefined) throw withoutUrl(name);
    return { name, kind, baseUrl: baseUrl.replace(/\/+$/, ""), keyEnv: key_env ?? known?.keyEnv ?? null, schemas: known?.schemas ?? false };
  });
  return [...BUILT_IN.filter(({ name }) => !configured.some(([other]) => other === name)), ...own];
}

export interface ChosenModel {
  readonly endpoint: Endpoint;
  readonly model: string;
}

/** `<endpoint>/<model>`; the name of the model may contain slashes. */
export function chooseModel(name: string | null, endpoints: readonly Endpoint[]): ChosenModel {
  const slash = name?.indexOf("/") ?? -1;
  if (name === null || slash <= 0 || slash === name.length - 1) throw withoutModel(name);
  const found = endpointOf(name, endpoints);
  if (found === null) throw unknownEndpoint(name.slice(0, slash), endpoints);
  return { endpoint: found, model: name.slice(slash + 1) };
}

/** The endpoint that the name of a model begins with. */
export function endpointOf(name: string | null, endpoints: readonly Endpoint[]): Endpoint | null {
  return endpoints.find((known) => name?.startsWith(`${known.name}/`) === true) ?? null;
}

/** The key for this endpoint only. */
export function keyFor({ name, keyEnv }: Endpoint, env: Readonly<Record<string, string | undefined>>): string | null {
  if (keyEnv === null) return null;
  const key = env[keyEnv]?.trim() ?? "";
  if (key !== "") return key;
  throw new SlipwayError("provider_auth_missing", `The endpoint ${name} takes its key from ${keyEnv}, which is not set.`, {
    provider: "api",
    endpoint: name,
    variable: keyEnv,
    suggested_next_actions: [
      `Set ${keyEnv} in the environment, or name another variable with --provider-config-env or runtime.api.endpoints.${name}.key_env in slipway/agents.yaml.`,
    ],
  });
}

/** A local endpoint without a key costs nothing. */
export function isOwn({ baseUrl, keyEnv }: Endpoint): boolean {
  return keyEnv === null && isLocal(baseUrl);
}

export function isLocal(url: string): boolean {
  return /^https?:\/\/(127\.|localhost[:/]|\[::1\])/.test(url);
}

function endpoint(name: string, kind: EndpointKind, baseUrl: string, keyEnv: string | null): Endpoint {
  return { name, kind, baseUrl, keyEnv, schemas: true };
}

function withoutUrl(name: string): SlipwayError {
  const field = `runtime.api.endpoints.${name}.base_url`;
  return new SlipwayError("config_invalid", `slipway/agents.yaml does not say where the endpoint ${name} is: ${field} is missing.`, {
    file: "slipway/agents.yaml",
    field,
    suggested_next_actions: [`Set ${field}, such as http://127.0.0.1:8080/v1.`],
  });
}

function withoutModel(name: string | null): SlipwayError {
  const problem = name === null ? "The provider api needs a model." : `"${name}" names no endpoint and model.`;
  return new SlipwayError("agent_provider_not_configured", problem, {
    model: name,
    field: "runtime.default_model",
    suggested_next_actions: [
      "Name it as <endpoint>/<model>, such as anthropic/claude-sonnet-4-5 or ollama/qwen3, with --agent-model, SLIPWAY_AGENT_MODEL or runtime.default_model in slipway/agents.yaml.",
    ],
  });
}

function unknownEndpoint(wanted: string, endpoints: readonly Endpoint[]): SlipwayError {
  const names = endpoints.map(({ name }) => name);
  const meant = closest(wanted, names);
  const hint = meant === null ? "" : ` Did you mean "${meant}"?`;
  return new SlipwayError("agent_provider_not_configured", `There is no endpoint "${wanted}".${hint}`, {
    endpoint: wanted,
    field: "runtime.api.endpoints",
    suggested_next_actions: [`Use one of ${names.join(", ")}, or describe ${wanted} under runtime.api.endpoints in slipway/agents.yaml.`],
  });
}
