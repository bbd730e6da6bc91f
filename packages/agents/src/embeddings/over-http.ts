import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { SlipwayError } from "../errors.ts";
import type { EmbeddingsConfig } from "@slipway/kernel/config/agent-parts/embeddings";
import type { AgentsConfig } from "@slipway/kernel/config/agents";
import { createRedactor } from "@slipway/kernel/host/redaction/redactor";
import { embedMany } from "ai";
import { chooseModel, endpointsOf, keyFor, type ChosenModel } from "../api/endpoints.ts";
import { failureOf } from "../api/failures.ts";
import { withoutRedirects } from "../api/model.ts";

interface Embedding {
  readonly agents: AgentsConfig | null;
  readonly config: EmbeddingsConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const TIMEOUT_MS = 60_000;
/** Endpoints reject or mishandle larger batches. */
const AT_ONCE = 64;

/** Uses OpenAI's embeddings call, which others copy; a key is sent to its own endpoint only. */
export async function embedOver({ agents, config, env }: Embedding, texts: readonly string[]): Promise<Float32Array[]> {
  const chosen = chooseModel(config.model, endpointsOf(agents));
  assertSpeaks(chosen);
  const key = keyFor(chosen.endpoint, env);
  const { name, baseUrl } = chosen.endpoint;
  const model = createOpenAICompatible({
    name,
    baseURL: baseUrl,
    fetch: withoutRedirects,
    ...(key === null ? {} : { apiKey: key }),
  }).embeddingModel(chosen.model);
  const vectors: Float32Array[] = [];
  try {
    for (let at = 0; at < texts.length; at += AT_ONCE) {
      const { embeddings } = await embedMany({
        model,
        values: texts.slice(at, at + AT_ONCE),
        // Retries are the job of the durable step.
        maxRetries: 0,
        maxParallelCalls: 1,
        abortSignal: AbortSignal.timeout(TIMEOUT_MS),
        ...(config.ask_for_dimensions ? { dimensions: config.dimensions } : {}),
      });
      vectors.push(...embeddings.map((embedding) => Float32Array.from(embedding)));
    }
  } catch (error) {
    const { text } = createRedactor({ secrets: key === null ? [] : [key] });
    throw failureOf(error, chosen, Date.now(), text);
  }
  return vectors;
}

function assertSpeaks({ endpoint: { name, kind } }: ChosenModel): void {
  if (kind === "openai" || kind === "openai-compatible") return;
  throw new SlipwayError("config_invalid", `The endpoint ${name} is of kind ${kind}, for which Slipway supports no embeddings.`, {
    file: "slipway/agents.yaml",
    field: "runtime.embeddings.model",
    suggested_next_actions: ["Name a model of an endpoint of kind openai or openai-compatible in runtime.embeddings.model."],
  });
}
