import { assertionsToInsert } from "./insert-assertions.ts";
import { functionsToSpoil } from "./spoil-functions.ts";
import { titlesThatRun, type Spoilable } from "./spoilable.ts";
import { valuesToSpoil } from "./spoil-values.ts";
import type { Random } from "./names.ts";

export interface SpoiledTest {
  readonly title: string;
  /** What its failure shows. */
  readonly token: string;
}

export interface SpoiledFile {
  readonly text: string;
  readonly tests: readonly SpoiledTest[];
}

const MOST_A_FILE = 3;

/**
 * Makes some tests of a file fail: each compares another value. Nothing else of the file changes, so code can tell it from the project's own
 * only by what it knows of the file's content. Null if no test of it can be spoiled.
 */
export function spoil(
  path: string,
  text: string,
  isWanted: (title: string) => boolean,
  words: readonly string[],
  random: Random,
): SpoiledFile | null {
  const all = titlesThatRun(path, text);
  const isOnce = (title: string) => all.filter((one) => one === title).length <= 1;
  const usable = (found: readonly Spoilable[]) => found.filter(({ title }) => isOnce(title) && isWanted(title));
  const values = usable([...valuesToSpoil(path, text), ...functionsToSpoil(path, text)]);
  const pool = values.length > 0 ? values : usable(assertionsToInsert(path, text));
  const edits: Edit[] = [];
  while (pool.length > 0 && edits.length < MOST_A_FILE) {
    const [one] = pool.splice(random(pool.length), 1);
    if (one === undefined) break;
    // Code may know what is expected, or what its own functions return: both sides are replaced in turn.
    const isActual = one.actual !== null && (edits.length > 0 ? !edits.some((edit) => edit.isActual) : random(2) === 0);
    const edit = editOf(one, isActual, words, random);
    if (!isShort(text, edit)) continue;
    edits.push(edit);
    const others = pool.filter(({ title }) => title !== one.title);
    // Another way of asserting says more than the same one again.
    const rest = others.filter(({ method }) => !edits.some((known) => known.method === method));
    pool.splice(0, pool.length, ...(rest.length > 0 ? rest : others));
  }
  if (edits.length === 0) return null;
  return {
    text: edits
      .toSorted((left, right) => right.from - left.from)
      .reduce((now, { from, to, is }) => now.slice(0, from) + is + now.slice(to), text),
    tests: edits.map(({ title, token }) => ({ title, token })),
  };
}

interface Edit extends SpoiledTest {
  readonly method: string;
  readonly isActual: boolean;
  readonly from: number;
  readonly to: number;
  readonly is: string;
}

function editOf(
  { title, method, from, to, text, actual, insert }: Spoilable,
  isActual: boolean,
  words: readonly string[],
  random: Random,
): Edit {
  const number = digits(random);
  const place = isActual && actual !== null ? actual : { from, to };
  const common = { title, method, isActual, ...place };
  if (insert !== undefined) {
    const right = digits(random);
    return { ...common, is: insert(number, right), token: `${number}-${right}` };
  }
  const quote = text?.[0] ?? "";
  if (/\d/.test(quote)) return { ...common, is: number, token: number };
  // Runners show spaces and parts of texts in ways of their own: only the number counts.
  const word = (words.length === 0 ? undefined : words[random(words.length)]) ?? "value";
  return { ...common, is: `${quote}${word}-${number}${quote}`, token: number };
}

const digits = (random: Random) => String(1_000_000 + random(8_999_999));

/** A formatter would break a line that becomes longer than every other. */
function isShort(text: string, { from, to, is }: Edit): boolean {
  if (from === to) return true;
  const [start, end] = [text.lastIndexOf("\n", from - 1) + 1, text.indexOf("\n", to)];
  const longest = Math.max(80, ...text.split("\n").map((line) => line.length));
  return (end < 0 ? text.length : end) - start + is.length - (to - from) <= longest;
}
