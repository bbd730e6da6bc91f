import type { ChangedFile } from "./finding.ts";
import { languageOf, lex, type TestLanguage } from "./test-language.ts";
import { addedLines } from "./line-rules.ts";

/** A file with one changed line broken on purpose. */
export interface Mutant {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly what: string;
  readonly text: string;
}

type Operator = readonly [pattern: RegExp, replacement: string | ((found: string) => string)];

/** Each result still runs, so that only an assertion can detect it. The first operator that matches a line is used. */
const OPERATORS: Readonly<Record<TestLanguage, readonly Operator[]>> = {
  js: [
    [/ === /, " !== "],
    [/ !== /, " === "],
    [/ <= /, " > "],
    [/ >= /, " < "],
    [/ < /, " >= "],
    [/ > /, " <= "],
    [/ && /, " || "],
    [/ \|\| /, " && "],
    [/ \?\? /, " && "],
    [/ \+= /, " -= "],
    [/ -= /, " += "],
    [/ \+ /, " - "],
    [/ - /, " + "],
    [/ \* /, " / "],
    [/ \/ /, " * "],
    [/\btrue\b/, "false"],
    [/\bfalse\b/, "true"],
    [/(?<![\w$.])\d+(?![\w.])/, (found) => String(Number(found) + 1)],
    [/(?<=(?:[=(,:?[]|\breturn)\s*)"[^"]+"/, '""'],
    [/\breturn (?=[^;\s])/, "return void "],
  ],
  py: [
    [/ == /, " != "],
    [/ != /, " == "],
    [/ <= /, " > "],
    [/ >= /, " < "],
    [/ < /, " >= "],
    [/ > /, " <= "],
    [/ and /, " or "],
    [/ or /, " and "],
    [/ \+= /, " -= "],
    [/ -= /, " += "],
    [/ \+ /, " - "],
    [/ - /, " + "],
    [/ \* /, " + "],
    [/ \/ /, " * "],
    [/\bTrue\b/, "False"],
    [/\bFalse\b/, "True"],
    [/(?<![\w.])\d+(?![\w.])/, (found) => String(Number(found) + 1)],
    [/\breturn (?=\S)/, "return None and "],
  ],
};

const DECLARES = /^\s*(?:import\b|from\b|export\s*[{*]|export type\b|type\b|interface\b|declare\b|@|def\b|class\b|throw\b|raise\b)/;

/** At most `most` mutants, spread over the lines that the change adds to sources in a readable language. */
export function mutantsOf(sources: readonly ChangedFile[], most: number): Mutant[] {
  const all = sources.flatMap((file) => brokenLines(file).map((broken) => ({ file, ...broken })));
  const chosen =
    all.length <= most
      ? all
      : all.filter((_, index) => Math.floor((index * most) / all.length) !== Math.floor(((index - 1) * most) / all.length));
  return chosen.map(({ file: { path, after }, line, was, is }) => ({
    path,
    line,
    what: `${was.trim()} → ${is.trim()}`,
    text: (after ?? "")
      .split("\n")
      .with(line - 1, is)
      .join("\n"),
  }));
}

function brokenLines({ path, before, after }: ChangedFile): { readonly line: number; readonly was: string; readonly is: string }[] {
  const language = languageOf(path);
  if (language === null || after === null) return [];
  const { code, bare } = lex(after, language);
  const added = new Set(addedLines(lex(before ?? "", language).code, code));
  const shapes = bare.split("\n");
  return code.split("\n").flatMap((was, index) => {
    const is = !added.has(was) || DECLARES.test(was) ? null : breakLine(was, shapes[index] ?? "", OPERATORS[language]);
    return is === null ? [] : [{ line: index + 1, was, is }];
  });
}

/** Operators are searched with strings blanked out, so that none matches inside a string; string operators are searched in the code. */
function breakLine(line: string, shape: string, operators: readonly Operator[]): string | null {
  for (const [pattern, replacement] of operators) {
    const match = pattern.exec(pattern.source.includes('"') ? line : shape);
    if (match === null) continue;
    const text = typeof replacement === "string" ? replacement : replacement(match[0]);
    return line.slice(0, match.index) + text + line.slice(match.index + match[0].length);
  }
  return null;
}
