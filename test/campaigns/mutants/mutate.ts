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

/** The line still parses, and the program still runs. */
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
  [/\bif \((?!\()([^()]*(?:\([^()]*\)[^()]*)*)\) (?=return|throw|continue|break)/, "if (false) "],
  [/^(\s*)(?:await )?[\w.]+\([^()]*(?:\([^()]*\)[^()]*)*\);$/, "$1;"],
  [/\bthrow (?=\w+\()/, "void "],
  [/\.filter\(\(?[\w{},: []*\)? => /, ".filter(() => true || "],
  [/\b(some|every)\(/, "find("],
];

const DECLARES = /^\s*(?:import\b|export (?:type|interface)\b|type\b|interface\b|readonly\b|\/\/|\*|\/\*)/;

/** Every way in which one line can be broken; a line that no longer parses is left out. */
export function brokenLines(source: string): BrokenLine[] {
  const lines = source.split("\n");
  return lines.flatMap((was, index) =>
    DECLARES.test(was)
      ? []
      : OPERATORS.flatMap(([pattern, replacement]) => {
          const is = replacedOutsideStrings(was, pattern, replacement);
          if (is === null || is === was) return [];
          const text = lines.with(index, is).join("\n");
          return parses(text) ? [{ line: index + 1, was, is, text }] : [];
        }),
  );
}

function replacedOutsideStrings(line: string, pattern: RegExp, replacement: string): string | null {
  const blank = line.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|\/\/.*$/g, (found) => "_".repeat(found.length));
  const found = pattern.exec(blank);
  if (found === null) return null;
  // Groups have the blanked text; only the white space at the start is taken from one.
  const by = replacement.replaceAll(/\$(\d)/g, (_all, group: string) => found[Number(group)] ?? "");
  return line.slice(0, found.index) + by + line.slice(found.index + found[0].length);
}

function parses(text: string): boolean {
  try {
    stripTypeScriptTypes(text, { mode: "strip" });
    return true;
  } catch {
    return false;
  }
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
