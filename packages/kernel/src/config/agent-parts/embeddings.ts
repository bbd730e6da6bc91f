import { z } from "zod";

const similarity = z.number().min(0).max(1);

/** Another model for the code index than the built-in one. Everything that is searched for or shipped is sent to it. */
export const embeddingsPart = z
  .strictObject({
    /** `<endpoint>/<model>`, such as openai/text-embedding-3-small or ollama/nomic-embed-text. */
    model: z.string().regex(/^[a-z][a-z0-9-]*\/\S+$/, "must be <endpoint>/<model>, such as openai/text-embedding-3-small"),
    dimensions: z.int().min(256).max(1536),
    /** The longest text that it accepts. */
    max_tokens: z.int().min(512),
    /** Whether the endpoint is asked for vectors of this length; otherwise they have to be of it by themselves. */
    ask_for_dimensions: z.boolean().default(false),
    /** Below this score the best match is weak. */
    weak: similarity.default(0.3),
    /** From this score on, two modules count as near duplicates. */
    duplicate: similarity.default(0.85),
  })
  .refine(({ weak, duplicate }) => weak < duplicate, { path: ["duplicate"], error: "must be above weak" });

export type EmbeddingsConfig = z.output<typeof embeddingsPart>;
