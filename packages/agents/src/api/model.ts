import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";
import type { ChosenModel } from "./endpoints.ts";

/** Without a key of its own, an endpoint must not get one that the SDK finds in the environment. */
const NO_KEY = "none";

export function languageModel({ endpoint: { name, kind, baseUrl, schemas }, model }: ChosenModel, key: string | null): LanguageModel {
  const settings = { baseURL: baseUrl, apiKey: key ?? NO_KEY, fetch: withoutRedirects };
  if (kind === "anthropic") return createAnthropic(settings)(model);
  if (kind === "openai") return createOpenAI(settings)(model);
  if (kind === "google") return createGoogle(settings)(model);
  const { fetch, baseURL } = settings;
  const compatible = createOpenAICompatible({
    name,
    baseURL,
    fetch,
    includeUsage: true,
    supportsStructuredOutputs: schemas,
    metadataExtractor: { extractMetadata: () => Promise.resolve(undefined), createStreamExtractor: refusalExtractor },
    ...(key === null ? {} : { apiKey: key }),
  });
  return compatible(model);
}

/** No redirects: `fetch` drops only the authorization header on a redirect to another host, so other headers would leak the key. */
export const withoutRedirects: typeof fetch = (input, init) => fetch(input, { ...init, redirect: "error" });

export const REFUSAL = "refusal";

/** Chat Completions reports refusals in a field the SDK does not read. */
function refusalExtractor() {
  let refusal = "";
  return {
    processChunk(chunk: unknown) {
      const choices = (chunk as { choices?: readonly { delta?: { refusal?: unknown } }[] } | null)?.choices;
      for (const { delta } of choices ?? []) if (typeof delta?.refusal === "string") refusal += delta.refusal;
    },
    buildMetadata: () => (refusal === "" ? undefined : { [REFUSAL]: { text: refusal } }),
  };
}
