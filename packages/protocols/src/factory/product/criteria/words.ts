export function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

const FILLERS = new Set("a an the of for to in on and with all that its their it be is are".split(" "));

/** What a short sentence is about, whatever its little words, their forms and their order. */
export function gistOf(text: string): ReadonlySet<string> {
  const said = words(text);
  const content = said.filter((word) => !FILLERS.has(word));
  return new Set((content.length === 0 ? said : content).map(stem));
}

/** Crude, and enough: both forms of a word lose the same ending. */
function stem(word: string): string {
  return word.replace(/(?<=.{3})(?:ations?|ating|ate[sd]?|ions?|ings?|ers?|ors?|ies|ed|es|s|e|y)$/, "");
}

/** The share of what either is about that both are about. */
export function likeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const shared = [...left].filter((word) => right.has(word)).length;
  const either = left.size + right.size - shared;
  return either === 0 ? 0 : shared / either;
}
