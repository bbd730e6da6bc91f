import { LITERAL, methodOf, splitArguments, type AssertionPlace } from "../test-integrity/assertions.ts";
import { tidy } from "../test-integrity/declared-titles.ts";
import { closingOf, languageOf, lex, type Lexed, type TestLanguage } from "../test-integrity/test-language.ts";
import { placedTests, type PlacedTest } from "../test-integrity/tests-in.ts";
import { titlesThatRun, type Spoilable } from "./spoilable.ts";

/** The value that an assertion expects is its second argument, or the one of the matcher. In unittest it may come first. */
const COMPARES: Readonly<Record<TestLanguage, RegExp>> = {
  js: /(?:^|\.)(?:equal|strictEqual|deepEqual|deepStrictEqual|equals|is|same|like|looseEqual)$/,
  py: /\.assert(?:Equals?|ListEqual|DictEqual|TupleEqual|SetEqual|CountEqual|SequenceEqual|MultiLineEqual)$/,
};
const MATCHES =
  /^expect\b(?!.*\b(?:not|resolves|rejects)\b).*\.(?:toBe|toEqual|toStrictEqual|toBeCloseTo|toHaveLength|toMatchObject|toContain|equal|equals|eq|eql|lengthOf)$/;

/** Assertions that every run of the test reaches, and that compare with a value in the source: a test fails if the value is another one. */
export function valuesToSpoil(path: string, text: string): Spoilable[] {
  const language = languageOf(path);
  if (language === null) return [];
  const source = lex(text, language);
  const certain = new Set(titlesThatRun(path, text));
  return placedTests(source, language)
    .filter(({ title, marks, exits, swallows }) => certain.has(tidy(title)) && marks.length + exits + swallows === 0)
    .flatMap((test) => {
      if (/\breturn\b/.test(language === "py" ? source.bare.slice(test.from, test.to) : "")) return [];
      return test.assertions
        .filter((place) => isReached(source.bare, test, place, language))
        .flatMap((place) => {
          const method = methodOf(source.bare.slice(place.from, place.to));
          const value = expectedValue(source, place, method, language);
          return value === null ? [] : [{ title: tidy(test.title), method, ...value }];
        });
    });
}

/** Not in a branch, a loop or a callback. */
function isReached(bare: string, { from }: PlacedTest, place: AssertionPlace, language: TestLanguage): boolean {
  if (language === "py") return isFirstLevel(bare, from, place.from);
  const open = openBrackets(bare.slice(from, place.from));
  const before = bare.slice(from, place.from).trimEnd();
  if (open === "(") return /=>(?:\s*await)?$/.test(before);
  if (!/^\((?:\{)$/.test(open)) return false;
  const statement = before.replace(/(?<![\w$])await$/, "").trimEnd();
  const line = statement.slice(statement.lastIndexOf("\n") + 1);
  return (
    !/^\s*(?:\}\s*)?(?:if|else|for|while|do|switch|case|default|try|catch)\b(?!.*[{};]$)/.test(line) && !/[=(,:?&|+*/<>!-]$/.test(statement)
  );
}

/** The brackets that are open at the end of a text, outermost first. */
function openBrackets(bare: string): string {
  const open: string[] = [];
  for (const character of bare) {
    if ("([{".includes(character)) open.push(character);
    else if (")]}".includes(character)) open.pop();
  }
  return open.join("");
}

function isFirstLevel(bare: string, test: number, at: number): boolean {
  const indent = (position: number) => {
    const start = bare.lastIndexOf("\n", position - 1) + 1;
    return /^[ \t]*/.exec(bare.slice(start, position + 1))?.[0] ?? "";
  };
  const start = bare.lastIndexOf("\n", at - 1) + 1;
  const body = /:[ \t]*\n(?:[ \t]*\n)*([ \t]+)/.exec(bare.slice(test))?.[1];
  return bare.slice(start, at).trim() === "" && indent(at - 1) === body;
}

interface Compared {
  readonly actual: AssertionPlace | null;
  readonly expected: AssertionPlace;
}

type Value = Pick<Spoilable, "from" | "to" | "text" | "actual">;

function expectedValue(source: Lexed, place: AssertionPlace, method: string, language: TestLanguage): Value | null {
  for (const { actual, expected } of comparedIn(source, place, method, language)) {
    const value = literalIn(source, expected);
    if (value !== null) return { ...value, actual: actual === null ? null : replaceable(source, actual) };
  }
  return null;
}

/** What an assertion compares, the more likely order first. */
function comparedIn({ bare }: Lexed, { from, to }: AssertionPlace, method: string, language: TestLanguage): Compared[] {
  if (language === "py" && method === "assert") return sidesIn(bare, from + "assert".length, to);
  const isMatcher = language === "js" && MATCHES.test(method);
  if (!isMatcher && !COMPARES[language].test(method)) return [];
  const open = bare.indexOf("(", from);
  const [one = null, two = null] = argumentsAt(bare, open);
  if (isMatcher) {
    const [expected] = argumentsAt(bare, lastCall(bare, open, to));
    return expected === undefined ? [] : [{ actual: one, expected }];
  }
  if (one === null || two === null) return [];
  const usual = { actual: one, expected: two };
  return language === "js" ? [usual] : [usual, { actual: two, expected: one }];
}

/** `expect(a).toBe(b)`: the bracket of the last call. */
function lastCall(bare: string, first: number, to: number): number {
  let open = first;
  for (let end = closingOf(bare, open); end < to; end = closingOf(bare, open)) {
    const next = bare.indexOf("(", end);
    if (next < 0 || next >= to) break;
    open = next;
  }
  return open;
}

function argumentsAt(bare: string, open: number): AssertionPlace[] {
  const inside = bare.slice(open + 1, closingOf(bare, open) - 1);
  return splitArguments(inside).map(({ from, to }) => ({ from: from + open + 1, to: to + open + 1 }));
}

/** The two sides of `assert a == b`; what follows a comma is a message. */
function sidesIn(bare: string, from: number, to: number): Compared[] {
  const [whole] = splitArguments(bare.slice(from, to));
  const text = bare.slice(from, from + (whole?.to ?? 0));
  const sides = text.split("==");
  if (sides.length !== 2 || /\b(?:and|or|not|if|in|is|lambda)\b|[<>!]=/.test(text)) return [];
  const middle = from + (sides[0]?.length ?? 0);
  const [left, right] = [
    { from, to: middle },
    { from: middle + 2, to: from + text.length },
  ];
  return [
    { actual: left, expected: right },
    { actual: right, expected: left },
  ];
}

/** Null if one of its names would no longer be used in the file: that is a reason to fail for a linter. */
function replaceable({ bare }: Lexed, { from, to }: AssertionPlace): AssertionPlace | null {
  const text = bare.slice(from, to);
  const [start, end] = [from + (text.length - text.trimStart().length), to - (text.length - text.trimEnd().length)];
  const names = new Set(text.match(/(?<![\w$.])[A-Za-z_$][\w$]*/g));
  const isUsed = (name: string) => [...bare.matchAll(new RegExp(`(?<![\\w$])${RegExp.escape(name)}(?![\\w$])`, "g"))].length > 2;
  return /\bawait\b|\byield\b/.test(text) || ![...names].every(isUsed) ? null : { from: start, to: end };
}

/** The first value in an expression without calls and names. */
function literalIn({ code, bare }: Lexed, { from, to }: AssertionPlace): Omit<Value, "actual"> | null {
  const outside = bare.slice(from, to).replaceAll(/\b(?:true|false|null|undefined|None|True|False)\b|[\w$]+\s*:|\b[bB](?=["'])/g, "");
  if (/[A-Za-z_$(`]|(["'])\1\1/.test(outside)) return null;
  const found = [...code.slice(from, to).matchAll(LITERAL)].find(([literal]) => /^["'\d]/.test(literal) && !literal.includes("\\"));
  if (found === undefined) return null;
  const at = from + found.index;
  return { from: at, to: at + found[0].length, text: found[0] };
}
