import { camel, pickWords, wordsIn, type Random } from "./names.ts";
import type { CoverPlant } from "./plant.ts";

/** Comments that take lines out of a coverage report. */
const SILENCED = /\b(?:c8|istanbul|v8)\s+ignore\b|\bnode:coverage\b|\bpragma:\s*no\s*cover\b|\bcoverage:ignore\b/;

/** A function that nothing calls, by language; its second line is the one that never runs. */
const FUNCTIONS: readonly (readonly [file: RegExp, write: (name: string, text: string, value: number) => string])[] = [
  [
    /(?<!\.d)\.[cm]?[jt]sx?$/,
    (name, text, value) => {
      const indent = /^(\t| {2,8})\S/m.exec(text)?.[1] ?? "  ";
      const end = /;[ \t]*$/m.test(text) ? ";" : "";
      // An export is not unused for a compiler.
      return `${/^export\s/m.test(text) ? "export " : ""}function ${name}() {\n${indent}return ${value}${end}\n}`;
    },
  ],
  [/\.py$/, (name, text, value) => `\ndef ${snake(name)}():\n${/^(\t| {2,8})\S/m.exec(text)?.[1] ?? "    "}return ${value}`],
  [/\.go$/, (name, _, value) => `func ${name}() int {\n\treturn ${value}\n}`],
];

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Null where such a function cannot be planted. */
export function coverPlant(path: string, text: string, random: Random): CoverPlant | null {
  const [, write] = FUNCTIONS.find(([file]) => file.test(path)) ?? [];
  if (write === undefined || SILENCED.test(text) || text.trim() === "") return null;
  const known = wordsIn([path, text.slice(0, 4_000)]);
  let name = camel(pickWords(known, 3, random));
  while (text.includes(name) || text.includes(snake(name))) name += "More";
  const start = `${text}${text.endsWith("\n") ? "" : "\n"}\n`;
  const written = write(name, text, 1_000_000 + random(8_999_999));
  const before = written.slice(0, written.lastIndexOf("return"));
  return { kind: "cover", path, text: `${start}${written}\n`, line: `${start}${before}`.split("\n").length, token: "" };
}
