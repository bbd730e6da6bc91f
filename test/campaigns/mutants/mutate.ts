import { stripTypeScriptTypes } from "node:module";

/** One line of a source, broken on purpose. */
export interface BrokenLine {
  /** From 1. */
  readonly line: number;
  readonly was: string;
  readonly is: string;
  readonly text: string;
}

type Operator = readonly [pattern: RegExp, replacement: string];

/** What stands in parentheses, itself with at most one pair of them. */
const INSIDE = String.raw`[^()]*(?:\([^()]*\)[^()]*)*`;

/** The line still parses, and the program still runs. Strings are blanked to `_` before the patterns are tried. */
const OPERATORS: readonly Operator[] = [
  [/ === /, " !== "],
  [/ !== /, " === "],
  [/ <= /, " < "],
  [/ >= /, " > "],
  [/ < /, " <= "],
  [/ > /, " >= "],
  [/ && /, " || "],
  [/ \|\| /, " && "],
  [/ \?\? /, " && "],
  [/ \+ 1\b/, ""],
  [/ - 1\b/, ""],
  [/\btrue\b/, "false"],
  [/\bfalse\b/, "true"],
  [/(?<=[ (!])!(?=[\w(])/, ""],
  // A guard that never holds.
  [new RegExp(String.raw`\bif \((?!\()${INSIDE}\) (?=return|throw|continue|break|\{)`), "if (false) "],
  // A call that is not made.
  [new RegExp(String.raw`^(\s*)(?:await )?[\w.]+\(${INSIDE}\);$`), "$1;"],
  [/\bthrow (?=\w+\()/, "void "],
  // A condition of a query, a part of a chain, an element of a list, or what is spread into one, left out.
  [new RegExp(String.raw`\.where(?:Ref)?\(${INSIDE}\)`), ""],
  [/\.filter\(\(?[\w{},: []*\)? => /, ".filter(() => true || "],
  [/\.(?:toSorted|toReversed)\(\)/, ""],
  [/^(\s*)_+,$/, "$1"],
  [/^(\s*)\[[^[\]]*\],$/, "$1"],
  [new RegExp(String.raw`^(\s*)\.\.\.${INSIDE},$`), "$1"],
  [/\bsome\(/, "every("],
  [/\bevery\(/, "some("],
  [/\bMath\.min\(/, "Math.max("],
  [/\bMath\.max\(/, "Math.min("],
];

const DECLARES = /^\s*(?:import\b|export (?:type|interface)\b|type\b|interface\b|readonly\b|\/\/|\*|\/\*)/;

/**
 * Every way in which one line can be broken. A line that no longer parses is left out, and one in which only a type has changed: nothing
 * of it runs.
 */
export function brokenLines(source: string): BrokenLine[] {
  const lines = source.split("\n");
  const runs = running(source);
  return lines.flatMap((was, index) => {
    if (DECLARES.test(was)) return [];
    const versions = new Set(OPERATORS.flatMap((operator) => versionsOf(was, operator)));
    return [...versions].flatMap((is) => {
      const text = lines.with(index, is).join("\n");
      const broken = running(text);
      return broken === null || broken === runs ? [] : [{ line: index + 1, was, is, text }];
    });
  });
}

/** The operator applied at each place of the line. */
function versionsOf(line: string, [pattern, replacement]: Operator): string[] {
  const blank = line.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|\/\/.*$/g, (found) => "_".repeat(found.length));
  return [...blank.matchAll(new RegExp(pattern, "g"))].map((found) => {
    // Groups have the blanked text; only the white space at the start is taken from one.
    const by = replacement.replaceAll(/\$(\d)/g, (_all, group: string) => found[Number(group)] ?? "");
    return line.slice(0, found.index) + by + line.slice(found.index + found[0].length);
  });
}

/** The text without its types and its layout; null if it does not parse. */
function running(text: string): string | null {
  try {
    return stripTypeScriptTypes(text, { mode: "strip" }).replaceAll(/\s+/g, " ");
  } catch {
    return null;
  }
}

/** One broken version of each of `most` lines, chosen by the seed alone. */
export function sampleLines<T extends { readonly path: string; readonly line: number }>(
  all: readonly T[],
  most: number,
  seed: number,
): T[] {
  const byLine = Map.groupBy(all, ({ path, line }) => `${path}:${line}`);
  return sample([...byLine.values()], most, seed).flatMap((versions) => sample(versions, 1, seed));
}

/** `most` of them, chosen by the seed alone. */
export function sample<T>(all: readonly T[], most: number, seed: number): T[] {
  const random = mulberry(seed);
  return all
    .map((value) => ({ value, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .slice(0, most)
    .map(({ value }) => value);
}

function mulberry(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
