import { posix } from "node:path";

/** A number from 0 up to, without, the limit. */
export type Random = (limit: number) => number;

/** Used where the folder has too few words of its own. */
const COMMON = ["value", "order", "input", "empty", "total", "label", "limit", "range", "entry", "state", "group", "index"];
const NO_WORDS = new Set(["test", "tests", "spec", "specs", "and", "the", "with", "that", "for", "when", "not", "does", "mod", "util"]);

/** Words of file names and titles, for a name like its neighbours'. */
export function wordsIn(texts: readonly string[]): string[] {
  const words = texts.flatMap((text) => text.replaceAll(/([a-z])([A-Z])/g, "$1 $2").match(/[A-Za-z]{3,12}/g) ?? []);
  return [...new Set(words.map((word) => word.toLowerCase()))].filter((word) => !NO_WORDS.has(word));
}

/** Different words, most of them from the project. */
export function pickWords(known: readonly string[], count: number, random: Random): string[] {
  const pool = [...new Set([...known, ...(known.length < 2 * count ? COMMON : [])])];
  const picked: string[] = [];
  while (picked.length < count) picked.push(...pool.splice(random(pool.length), 1));
  return picked;
}

const SUFFIX = /^(.*?)((?:[._-](?:test|tests|spec|specs|it|e2e|unit|integration))*(?:\.[A-Za-z0-9]+))$/;

/** The parts of a test's file name that every test of its folder has. */
function patternOf(name: string): { readonly prefix: string; readonly stem: string; readonly suffix: string } {
  const [, rest = name, suffix = ""] = SUFFIX.exec(name) ?? [];
  const prefix = /^(?:test[_-])(?=.)/i.exec(rest)?.[0] ?? (/^Test(?=[A-Z])/.exec(rest)?.[0] || "");
  const own = prefix === "" && name.endsWith(".py") && !suffix.includes("test") ? (/^[a-z]+_/.exec(rest)?.[0] ?? "") : prefix;
  const ending = /(?<=.)(?:Tests?|IT|Spec)$/.exec(rest.slice(own.length))?.[0] ?? "";
  return { prefix: own, stem: rest.slice(own.length, rest.length - ending.length), suffix: ending + suffix };
}

/** A new path beside a test, named like it: price.test.ts → order-limit.test.ts, test_a.py → test_order_limit.py, ATest.java → OrderLimitTest.java. */
export function pathBeside(near: string, words: readonly string[]): string {
  const { prefix, stem, suffix } = patternOf(posix.basename(near));
  const extension = posix.extname(near);
  const folder = posix.dirname(near);
  const name = /^\.(?:java|kt)$/.test(extension) || /^[A-Z]/.test(stem) ? pascal(words) : words.join(separatorOf(stem, extension));
  // `tests.py` and the like: the whole name is the pattern.
  const own = stem === "" || /^tests?$/i.test(stem);
  const file = own && extension === ".py" ? `test_${name}${extension}` : `${prefix}${name}${suffix}`;
  return folder === "." ? file : `${folder}/${file}`;
}

function separatorOf(stem: string, extension: string): string {
  if (/^\.(?:py|go|rs)$/.test(extension) || stem.includes("_")) return "_";
  return stem.includes(".") ? "." : "-";
}

export function pascal(words: readonly string[]): string {
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

export function camel(words: readonly string[]): string {
  const name = pascal(words);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** Two parts of a token; one part alone means nothing. */
export function tokenParts(random: Random): readonly [string, string] {
  const part = () => Array.from({ length: 8 }, () => "bcdfghjkmnpqrtvwxz"[random(18)]).join("");
  return [part(), part()];
}
