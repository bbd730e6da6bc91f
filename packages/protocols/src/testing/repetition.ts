/** An instruction that is given twice, and where. */
export interface Repetition {
  readonly first: string;
  readonly second: string;
  readonly why: string;
}

/** So many words in the same order are no accident. */
const RUN = 6;
/** Of the words that carry meaning, this share of the shorter instruction is in the longer one: all of a few, most of many. */
const SHARE = { few: 1, many: 0.78 };
const FEW = 3;
const MANY = 4;
const SHORTEST = 4;

const EMPTY = new Set(
  "a an and are as at be been but by can cannot did do does for from had has have if in into is it its may must no nor not of on one only or other same so some such than that the their them then there these they this to under until was were what when where which while who whose with without you your".split(
    " ",
  ),
);

/** Two instructions say the same when they share a long run of words, or when nearly all that one means is in the other. */
export function repetitions(texts: readonly (readonly string[])[]): Repetition[] {
  const all = texts.flatMap((instructions, place) => instructions.map((text) => ({ text, place, words: wordsOf(text) })));
  return all.flatMap((first, index) =>
    all.slice(index + 1).flatMap((second): Repetition[] => {
      const why = sharedRun(first.words, second.words) ?? sharedMeaning(first.words, second.words);
      return why === null ? [] : [{ first: first.text, second: second.text, why }];
    }),
  );
}

/** Sentences and points of a list; a heading or a line of a form is none. */
export function instructionsIn(text: string): string[] {
  return text
    .split(/\n+|(?<=[.:;])\s+/)
    .map((part) => part.replace(/^[-*#\s]+/, "").trim())
    .filter((part) => wordsOf(part).length >= SHORTEST);
}

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[a-z_]+/g) ?? []).map((word) => (word.length > 4 ? word.replace(/(es|s)$/, "") : word));
}

function sharedRun(first: readonly string[], second: readonly string[]): string | null {
  const runs = new Set(windows(second));
  const shared = windows(first).find((run) => runs.has(run));
  return shared === undefined ? null : `both say "${shared}"`;
}

function windows(words: readonly string[]): string[] {
  return words.slice(RUN - 1).map((_, index) => words.slice(index, index + RUN).join(" "));
}

function sharedMeaning(first: readonly string[], second: readonly string[]): string | null {
  const [a, b] = [first, second].map((words) => new Set(words.filter((word) => !EMPTY.has(word)))) as [Set<string>, Set<string>];
  const smaller = Math.min(a.size, b.size);
  const shared = [...a].filter((word) => b.has(word));
  const needed = smaller >= MANY ? SHARE.many : SHARE.few;
  return smaller >= FEW && shared.length / smaller >= needed ? `both are about ${shared.join(", ")}` : null;
}
