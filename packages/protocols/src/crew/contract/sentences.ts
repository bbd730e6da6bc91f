/** A full stop that ends no sentence. */
const ABBREVIATION = /\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|no|resp)\./gi;
/** An end mark, then space and something that can begin a sentence; or a line break. */
const SENTENCE_END = /(?<=[.!?]["')\]]*)\s+(?=[^a-z\s])|[\r\n]+/u;

export function sentencesIn(text: string): number {
  const plain = text.replaceAll(ABBREVIATION, (found) => found.slice(0, -1));
  return plain.split(SENTENCE_END).filter((part) => /[\p{L}\p{N}]/u.test(part)).length;
}
