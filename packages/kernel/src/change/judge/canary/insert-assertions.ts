import { tidy } from "../test-integrity/declared-titles.ts";
import { languageOf, lex, type Lexed } from "../test-integrity/test-language.ts";
import { placedTests, type PlacedTest } from "../test-integrity/tests-in.ts";
import { titlesThatRun, type Spoilable } from "./spoilable.ts";

/** For tests that compare with no value of the source: one more assertion at their beginning, of the kind that the file has. */
export function assertionsToInsert(path: string, text: string): Spoilable[] {
  const language = languageOf(path);
  if (language === null) return [];
  const source = lex(text, language);
  const certain = new Set(titlesThatRun(path, text));
  return placedTests(source, language).flatMap((test): Spoilable[] => {
    const title = tidy(test.title);
    if (!certain.has(title) || test.marks.length > 0) return [];
    const found = language === "py" ? inPython(source, test) : inScript(source, test);
    return found === null
      ? []
      : [{ title, method: "insert", from: found.at, to: found.at, text: null, actual: null, insert: found.insert }];
  });
}

interface Insertion {
  readonly at: number;
  readonly insert: (left: string, right: string) => string;
}

function inPython({ bare }: Lexed, { from, to }: PlacedTest): Insertion | null {
  const head = /:[ \t]*\n(?:[ \t]*\n)*/.exec(bare.slice(from, to));
  if (head === null) return null;
  const at = from + head.index + head[0].length;
  const indent = /^[ \t]*/.exec(bare.slice(at))?.[0] ?? "";
  const isMethod = /\bself\.assert\w+\(/.test(bare.slice(from, to));
  const check = (value: string) => (isMethod ? `self.assertEqual(${value}, "")` : `assert ${value} == ""`);
  return { at, insert: (left, right) => `${indent}${check(`"${left}-${right}"`)}\n` };
}

function inScript({ code, bare }: Lexed, { from, to }: PlacedTest): Insertion | null {
  const body = /(?:=>|\bfunction\b[^{}]{0,500}?\))\s*\{(?=[ \t]*\n([ \t]+)\S)/.exec(bare.slice(from, to));
  if (body === null) return null;
  const [whole, indent = ""] = body;
  const quote = code.split("'").length > code.split('"').length ? "'" : '"';
  const end = /;[ \t]*$/m.test(bare) ? ";" : "";
  const value = (left: string, right: string) => `${quote}${left}-${right}${quote}`;
  const check = checkIn(code, bare);
  if (check === null) return null;
  return {
    at: from + body.index + whole.length,
    insert: (left, right) => `\n${indent}${check(value(left, right), `${quote}${quote}`)}${end}`,
  };
}

function checkIn(code: string, bare: string): ((actual: string, expected: string) => string) | null {
  if (/(?<![\w$.])assert\.\w+\(/.test(bare)) return (actual, expected) => `assert.equal(${actual}, ${expected})`;
  if (!/(?<![\w$.])expect\(/.test(bare)) return null;
  const method = /["']chai["']/.test(code) || /\)\.to\.\w/.test(bare) ? "to.equal" : "toBe";
  return (actual, expected) => `expect(${actual}).${method}(${expected})`;
}
