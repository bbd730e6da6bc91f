import { SlipwayError } from "../errors.ts";

/** Text to vectors. Deployments choose the model; the index records which one it used. */
export interface EmbeddingModel {
  /** Names the model and its version: vectors of different ids are never compared. */
  readonly id: string;
  readonly kind: "dense" | "sparse";
  readonly dimensions: number;
  /** The longest text it embeds whole. */
  readonly maxTokens: number;
  /** Thresholds of its cosine similarities. */
  readonly levels: {
    /** Below this the best match is weak, and the search matches words too. */
    readonly weak: number;
    /** From here on two modules count as near duplicates. */
    readonly duplicate: number;
  };
  readonly embed: (texts: readonly string[]) => Promise<readonly Float32Array[]>;
}

const MIN_DIMENSIONS = 256;
const MAX_DIMENSIONS = 1536;
const MIN_TOKENS = 512;

export function assertModel({ id, kind, dimensions, maxTokens }: EmbeddingModel): void {
  const problems = [
    ...(id.trim() === "" ? ["it has no id"] : []),
    ...(kind === "dense" ? [] : [`its vectors are ${kind}, not dense`]),
    ...(Number.isInteger(dimensions) && dimensions >= MIN_DIMENSIONS && dimensions <= MAX_DIMENSIONS
      ? []
      : [`its vectors have ${dimensions} dimensions, not ${MIN_DIMENSIONS} to ${MAX_DIMENSIONS}`]),
    ...(maxTokens >= MIN_TOKENS ? [] : [`it takes ${maxTokens} tokens, fewer than ${MIN_TOKENS}`]),
  ];
  if (problems.length === 0) return;
  throw new SlipwayError("config_invalid", `The embedding model "${id}" cannot be used for the code index: ${problems.join("; ")}.`, {
    model: id,
    problems,
    suggested_next_actions: [
      `Choose a model with dense vectors of ${MIN_DIMENSIONS} to ${MAX_DIMENSIONS} dimensions that takes at least ${MIN_TOKENS} tokens.`,
    ],
  });
}

/** Checks that vectors have length one: an invalid vector would rank at random for ever. */
export async function embedAll(model: EmbeddingModel, texts: readonly string[]): Promise<Float32Array[]> {
  const vectors = await model.embed(texts);
  if (vectors.length !== texts.length) throw broken(model, `it gave ${vectors.length} vectors for ${texts.length} texts`);
  return vectors.map((vector) => {
    if (vector.length !== model.dimensions) throw broken(model, `it gave a vector of ${vector.length} dimensions, not ${model.dimensions}`);
    return normalised(model, vector);
  });
}

export async function embedOne(model: EmbeddingModel, text: string): Promise<Float32Array> {
  const [vector] = await embedAll(model, [text]);
  if (vector === undefined) throw broken(model, "it gave no vector");
  return vector;
}

function normalised(model: EmbeddingModel, vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  if (!(length > 0 && Number.isFinite(length))) throw broken(model, `it gave a vector of length ${length}`);
  return vector.map((value) => value / length);
}

function broken({ id }: EmbeddingModel, problem: string): SlipwayError {
  return new SlipwayError("provider_unavailable", `The embedding model "${id}" returned an invalid result: ${problem}.`, {
    model: id,
    suggested_next_actions: ["Check the model's configuration, or configure the built-in model and reindex."],
  });
}
