import type { WebSearchConfig } from "@slipway/kernel/config/agent-parts/web-search";
import { z } from "zod";

interface Asked {
  readonly query: string;
  readonly maxResults: number;
  readonly key: string | null;
}

/** How to query a backend, and where its reply has the results. */
export interface Backend {
  readonly baseUrl: string | null;
  /** The default variable of the key; null if it needs none. */
  readonly keyEnv: string | null;
  readonly request: (baseUrl: string, asked: Asked) => { readonly url: URL; readonly init: RequestInit };
  readonly reply: z.ZodType<readonly FoundPage[]>;
}

export interface FoundPage {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
}

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");

const byContent = z
  .object({ results: z.array(z.object({ url: z.string(), title: text, content: text })) })
  .transform(({ results }) => results.map(({ url, title, content }) => ({ url, title, snippet: content })));

const byDescription = z
  .object({ web: z.object({ results: z.array(z.object({ url: z.string(), title: text, description: text })) }).optional() })
  .transform(({ web }) => (web?.results ?? []).map(({ url, title, description }) => ({ url, title, snippet: description })));

export const BACKENDS: Readonly<Record<WebSearchConfig["backend"], Backend>> = {
  tavily: {
    baseUrl: "https://api.tavily.com",
    keyEnv: "TAVILY_API_KEY",
    request: (baseUrl, { query, maxResults, key }) => ({
      url: below(baseUrl, "search"),
      init: {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key ?? ""}` },
        body: JSON.stringify({ query, max_results: maxResults }),
      },
    }),
    reply: byContent,
  },
  brave: {
    baseUrl: "https://api.search.brave.com/res/v1",
    keyEnv: "BRAVE_API_KEY",
    request: (baseUrl, { query, maxResults, key }) => ({
      url: below(baseUrl, "web/search", { q: query, count: String(maxResults) }),
      init: { headers: { accept: "application/json", "x-subscription-token": key ?? "" } },
    }),
    reply: byDescription,
  },
  searxng: {
    baseUrl: null,
    keyEnv: null,
    request: (baseUrl, { query, key }) => ({
      url: below(baseUrl, "search", { q: query, format: "json" }),
      init: { headers: { accept: "application/json", ...(key === null ? {} : { authorization: `Bearer ${key}` }) } },
    }),
    reply: byContent,
  },
};

function below(baseUrl: string, path: string, query: Readonly<Record<string, string>> = {}): URL {
  const url = new URL(path, baseUrl.endsWith("/") ? baseUrl : `${baseUrl}/`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}
