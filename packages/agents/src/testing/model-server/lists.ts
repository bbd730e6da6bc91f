import type { HttpFailure } from "./wire.ts";

const MODELS = [
  "claude-opus-4-8",
  "claude-sonnet-4-6",
  "claude-haiku-4-5",
  "gpt-5.5",
  "gpt-5.5-mini",
  "gemini-3-pro",
  "gemini-3-flash",
  "scripted",
];

/** Other requests of clients: model lists, token counts, telemetry. Null if not served. */
export function answerToList(method: string, path: string, query: URLSearchParams, bytes: number): HttpFailure | null {
  const ok = (body: unknown) => ({ status: 200, headers: {}, body });
  if (method === "HEAD" || path === "/") return ok({});
  if (path.endsWith("/count_tokens")) return ok({ input_tokens: Math.ceil(bytes / 4) });
  if (path.endsWith(":countTokens")) return ok({ totalTokens: Math.ceil(bytes / 4) });
  if (path.endsWith("/v1beta/models")) return ok({ models: MODELS.map(geminiModel) });
  // Codex names its version and uses its own list format; an empty list leaves it with its defaults.
  if (path.endsWith("/models") && query.has("client_version")) return ok({ models: [] });
  if (path.endsWith("/models"))
    return ok({ object: "list", data: MODELS.map(model), has_more: false, first_id: MODELS[0], last_id: MODELS.at(-1) });
  if (path.endsWith("/api/tags")) return ok({ models: MODELS.map((name) => ({ name, model: name })) });
  const [, geminiName] = /\/v1beta\/models\/([^/:]+)$/.exec(path) ?? [];
  if (geminiName !== undefined) return ok(geminiModel(geminiName));
  const [, name] = /\/models\/([^/:]+)$/.exec(path) ?? [];
  if (name !== undefined) return ok(model(name));
  if (/event_logging|telemetry|metrics|analytics/.test(path)) return ok({});
  return null;
}

function model(id: string) {
  return {
    id,
    object: "model",
    type: "model",
    display_name: id,
    created: 1_700_000_000,
    created_at: "2026-01-01T00:00:00Z",
    owned_by: "scripted",
  };
}

function geminiModel(name: string) {
  const supportedGenerationMethods = ["generateContent", "countTokens"];
  return { name: `models/${name}`, displayName: name, inputTokenLimit: 1_048_576, outputTokenLimit: 65_536, supportedGenerationMethods };
}
