/** Words without information about a module, in English prose and in the JSON of an io summary. */
const SILENT = new Set(
  (
    "a an the and or but not no nor of to in on at by for from with without into onto over under as is are was were be been being it its " +
    "this that these those there then than so such if when while which who whom whose what how why all any each every some one two per " +
    "i me my you your he she we us our they them their can could may might must shall should will would do does did done has have had " +
    "also only just very more most other own same too up down out off about between after before again once here where " +
    "inputs outputs error_surfaces error surfaces effects modes sync async"
  ).split(" "),
);

type Ending = readonly [ending: RegExp, instead: string];

/** The first match applies. */
const PLURALS: readonly Ending[] = [
  [/(.{2,})ies$/, "$1y"],
  [/(.{2,}(?:s|x|z|ch|sh))es$/, "$1"],
  [/(.{2,}[^sui])s$/, "$1"],
];

/** All matches apply, in order. */
const ENDINGS: readonly Ending[] = [
  [/(.{3,})(?:isation|ization)$/, "$1ize"],
  [/(.{4,})(?:ation|ator|ative)$/, "$1ate"],
  [/(.{3,}[st])(?:ion|or|ive)$/, "$1"],
  [/(.{3,})ise$/, "$1ize"],
  [/(.{3,})(?:ingly|edly|ably|ibly)$/, "$1"],
  [/(.{3,})(?:ing|ed|er|ment|able|ible|ally|ly|ness)$/, "$1"],
  [/(.{2,})([bdfgklmnprt])\2$/, "$1$2"],
  [/(.{3,})e$/, "$1"],
];

const MOST_STEMS = 10_000;
const stems = new Map<string, string>();

/** Removes endings so that parse, parses, parser and parsing agree. The result need not be a word. */
export function stem(word: string): string {
  const root = stems.get(word) ?? cut(word);
  if (stems.size >= MOST_STEMS) stems.clear();
  stems.set(word, root);
  return root;
}

function cut(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const plural = PLURALS.find(([ending]) => ending.test(word));
  let root = plural === undefined ? word : word.replace(...plural);
  for (const [ending, instead] of ENDINGS) root = root.replace(ending, instead);
  return root;
}

/** Words with little information: nearly every module has them. */
const FAINT = new Set(
  (
    "module function component service helper tool code system data value object item thing input output return give take make use " +
    "provide support handle perform allow need want given based type string number boolean void unknown any null undefined " +
    "int float integer list array map record result new set get"
  )
    .split(" ")
    .map(stem),
);

export interface Word {
  readonly stem: string;
  /** 0 to 1: how much information it carries. */
  readonly weight: number;
}

/** The words of a text in order, with identifiers split: `parseISODate_v2` is parse, iso, date, v, 2. */
export function wordsOf(text: string): Word[] {
  return split(text)
    .filter((word) => !SILENT.has(word))
    .map((word) => {
      const root = stem(word);
      return { stem: root, weight: FAINT.has(root) ? 0.25 : root.length === 1 ? 0.3 : 1 };
    });
}

/** Longer sequences are not words, and must not cost more than one. */
const LONGEST = 40;

function split(text: string): string[] {
  if (/^[\0-\x7f]*$/.test(text)) return plainWords(text);
  return text
    .normalize("NFKC")
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll}{2})/gu, "$1 $2")
    .replace(/(\p{L})(\p{N})|(\p{N})(\p{L})/gu, "$1$3 $2$4")
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .flatMap((word) => (word === "" ? [] : [word.slice(0, LONGEST).toWellFormed()]));
}

/** A faster path for ASCII texts, without Unicode tables. */
function plainWords(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z]{2})/g, "$1 $2")
    .replace(/([A-Za-z])([0-9])|([0-9])([A-Za-z])/g, "$1$3 $2$4")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .flatMap((word) => (word === "" ? [] : [word.slice(0, LONGEST)]));
}
