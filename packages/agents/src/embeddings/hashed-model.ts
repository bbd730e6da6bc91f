import { conceptsOf } from "./concepts.ts";
import type { EmbeddingModel } from "./model.ts";
import { wordsOf, type Word } from "./words.ts";

const DIMENSIONS = 384;
/** Dimensions per feature: enough that no vector is sparse and two features seldom cancel out. */
const TRACES = 12;
const WEIGHTS = { word: 1, concept: 1, pair: 0.1, letters: 0.25 };

/**
 * The built-in model: no download, the same vectors on every machine. Words, their concepts, word pairs and letter groups are weighted
 * features, each projected to a fixed pseudo-random direction. It knows common English words of software, and no grammar.
 */
export const hashedModel: EmbeddingModel = {
  id: "slipway-hashed-384-v1",
  kind: "dense",
  dimensions: DIMENSIONS,
  maxTokens: Infinity,
  levels: { weak: 0.3, duplicate: 0.85 },
  embed: (texts) => Promise.resolve(texts.map(embed)),
};

function embed(text: string): Float32Array {
  const vector = new Float64Array(DIMENSIONS);
  const features = featuresOf(wordsOf(text));
  // No vector may be zero, so a text without words gets a direction of its own.
  if (features.size === 0) features.set("nothing", 1);
  for (const [feature, squares] of features) project(vector, feature, Math.sqrt(squares));
  return Float32Array.from(vector);
}

/** Repeated words count less each time: the squares of the weights are added. */
function featuresOf(words: readonly Word[]): Map<string, number> {
  const features = new Map<string, number>();
  const add = (feature: string, weight: number) => features.set(feature, (features.get(feature) ?? 0) + weight * weight);
  for (const [index, { stem, weight }] of words.entries()) {
    add(`w ${stem}`, WEIGHTS.word * weight);
    const concepts = conceptsOf(stem);
    for (const concept of concepts) add(`c ${concept}`, (WEIGHTS.concept * weight) / Math.sqrt(concepts.length));
    const groups = lettersOf(stem);
    for (const group of groups) add(group, (WEIGHTS.letters * weight) / Math.sqrt(groups.length));
    const next = words[index + 1];
    if (next !== undefined) add(`p ${stem} ${next.stem}`, WEIGHTS.pair * Math.min(weight, next.weight));
  }
  return features;
}

const MOST_STEMS = 5_000;
const lettersByStem = new Map<string, readonly string[]>();

/** Groups of four letters with marked word ends, shared by related and misspelt words. */
function lettersOf(stem: string): readonly string[] {
  const known = lettersByStem.get(stem);
  if (known !== undefined) return known;
  const letters = [...`<${stem}>`];
  const count = letters.length < 6 ? 0 : letters.length - 3;
  const groups = Array.from({ length: count }, (_, index) => `l ${letters.slice(index, index + 4).join("")}`);
  if (lettersByStem.size < MOST_STEMS) lettersByStem.set(stem, groups);
  return groups;
}

function project(vector: Float64Array, feature: string, weight: number): void {
  let state = seedOf(feature);
  for (let trace = 0; trace < TRACES; trace++) {
    state = next(state);
    const at = (state >>> 1) % DIMENSIONS;
    vector[at] = (vector[at] ?? 0) + ((state & 1) === 1 ? weight : -weight);
  }
}

/** FNV-1a over the feature's UTF-16 units. */
function seedOf(feature: string): number {
  let seed = 0x811c9dc5;
  for (let index = 0; index < feature.length; index++) seed = Math.imul(seed ^ feature.charCodeAt(index), 0x01000193);
  return seed >>> 0;
}

/** One step of a 32-bit mixing generator: scatters well enough, and is the same everywhere. */
function next(state: number): number {
  let mixed = (state + 0x9e3779b9) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
