export function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

const FILLERS = new Set("a an the of for to in on and with all that its their it be is are".split(" "));

/** The content words of a sentence, stemmed and without order. */
export function gistOf(text: string): ReadonlySet<string> {
  const said = words(text);
  const content = said.filter((word) => !FILLERS.has(word));
  return new Set((content.length === 0 ? said : content).map(stem));
}

/** Crude but sufficient: both forms of a word lose the same ending. */
function stem(word: string): string {
  return word.replace(/(?<=.{3})(?:ations?|ating|ate[sd]?|ions?|ings?|ers?|ors?|ies|ed|es|s|e|y)$/, "");
}

/** Jaccard similarity of two sets of words. */
export function likeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const shared = [...left].filter((word) => right.has(word)).length;
  const either = left.size + right.size - shared;
  return either === 0 ? 0 : shared / either;
}
