import { hashedModel } from "./hashed-model.ts";
import type { EmbeddingModel } from "./model.ts";
import type { AgentsConfig } from "@slipway/kernel/config/agents";

interface EmbeddingsOptions {
  readonly agents: AgentsConfig | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Applied to every text before it leaves the machine. */
  readonly conceal: (text: string) => string;
}

/** The model of the code index: configured in agents.yaml, or built in. Endpoint and key are looked up on first use. */
export function openEmbeddings({ agents, env, conceal }: EmbeddingsOptions): EmbeddingModel {
  const config = agents?.runtime.embeddings;
  if (config === undefined) return hashedModel;
  const { model: id, dimensions, max_tokens: maxTokens, weak, duplicate } = config;
  return {
    id,
    kind: "dense",
    dimensions,
    maxTokens,
    levels: { weak, duplicate },
    async embed(texts) {
      // Loaded late: the SDKs take longer to load than most commands run.
      const { embedOver } = await import("./over-http.ts");
      return embedOver({ agents, config, env }, texts.map(conceal));
    },
  };
}
