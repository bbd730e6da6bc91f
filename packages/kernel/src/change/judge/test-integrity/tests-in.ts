import { assertionPlaces, assertionsIn, type Assertion, type AssertionPlace } from "./assertions.ts";
import { closingOf, indentedEnd, lex, type TestLanguage, type Lexed } from "./test-language.ts";

/** A test, or the code of a test file outside all tests, which has no title. */
export interface FoundTest {
  readonly title: string;
  /** Marks that exclude it: skip, todo, only and similar. */
  readonly marks: readonly string[];
  readonly assertions: readonly Assertion[];
  /** Without comments and insignificant spaces. */
  readonly code: string;
  /** Positions where it may end early or swallow an exception of an assertion. */
  readonly exits: number;
  readonly swallows: number;
  /** Functions it calls by name. */
  readonly calls: readonly string[];
}

export interface TestFile {
  readonly tests: readonly FoundTest[];
  /** Everything outside the tests. */
  readonly rest: FoundTest;
  /** Functions of this file that assert something. */
  readonly asserting: readonly string[];
}

export function readTests(text: string, language: TestLanguage): TestFile {
  const source = lex(text, language);
  const names = language === "js" ? assertionNames(source.code) : [];
  const places = language === "js" ? callsIn(source) : methodsIn(source);
  const tests = apart(places.filter(({ isSuite }) => !isSuite));
  const outside = without(source, tests);
  return {
    tests: tests.map((place) => describe(source, place, language, names)),
    rest: describe(
      outside,
      { title: "", marks: places.filter(({ isSuite }) => isSuite).flatMap(({ marks }) => marks), from: 0, to: outside.code.length },
      language,
      names,
    ),
    asserting: functionsIn(source, language).flatMap(({ name, ...piece }) =>
      assertionsIn(piece, language, names).length > 0 ? [name] : [],
    ),
  };
}

/** A test with its place in the file, and the places of its assertions. */
export interface PlacedTest extends Pick<FoundTest, "title" | "marks" | "exits" | "swallows"> {
  readonly from: number;
  readonly to: number;
  readonly assertions: readonly AssertionPlace[];
}

/** The tests that run once whenever the file runs. */
export function placedTests(source: Lexed, language: TestLanguage): PlacedTest[] {
  const names = language === "js" ? assertionNames(source.code) : [];
  const places = language === "js" ? callsIn(source) : methodsIn(source);
  return apart(places.filter(({ isSuite }) => !isSuite)).map((place) => {
    const { title, marks, exits, swallows } = describe(source, place, language, names);
    const piece = { code: source.code.slice(place.from, place.to), bare: source.bare.slice(place.from, place.to) };
    const assertions = assertionPlaces(piece, language, names).map(({ from, to }) => ({ from: from + place.from, to: to + place.from }));
    return { title, marks, exits, swallows, from: place.from, to: place.to, assertions };
  });
}

/** Per file. Bounds the cost of hostile input. */
const MOST_TESTS = 1_000;
/** Code shared by several tests is short. */
const LONGEST_SHARED = 4 * 1024;

/** A nested test is part of the outer one. */
function apart<P extends Place>(places: readonly P[]): P[] {
  let end = 0;
  return places.filter(({ from, to }) => {
    const isOutside = from >= end;
    if (isOutside) end = to;
    return isOutside;
  });
}

function some(matches: Iterable<RegExpExecArray>): RegExpExecArray[] {
  return [...matches].slice(0, MOST_TESTS);
}

interface Place {
  readonly title: string;
  readonly marks: readonly string[];
  readonly from: number;
  readonly to: number;
}
type Declared = Place & { readonly isSuite: boolean };

const CALL = /(?<![\w$.])(x|f)?(test|it|specify|describe|suite|context)((?:\s*\.\s*\w+)*)\s*(?=[(`])/g;
const MARKS = /skip\w*|todo|only|fails|failing|fixme|runIf/g;
const OPTION = /\b(skip|todo|only|fails)\s*:(?!\s*false\b)/g;
const RUN_TIME = /(?<![\w$])(?!test\b|it\b|describe\b|suite\b)\w+\.(skip|todo)\s*\(/g;

function callsIn({ code, bare }: Lexed): Declared[] {
  return some(bare.matchAll(CALL)).flatMap((match): Declared[] => {
    const [whole, prefix, kind = "", modifiers = ""] = match;
    let open = match.index + whole.length;
    // `test.each(table)("title", …)` and test.each`table`("title", …)
    if (/\beach\b/.test(modifiers)) open = skipSpace(bare, bare[open] === "(" ? closingOf(bare, open) : bare.indexOf("`", open + 1) + 1);
    if (bare[open] !== "(") return [];
    const to = closingOf(bare, open);
    const title = titleAt(code, bare, open + 1);
    if (title === null) return [];
    const inside = bare.slice(open, to);
    const body = inside.search(/=>|\bfunction\b/);
    const isSuite = /^(?:describe|suite|context)$/.test(kind);
    const head = body < 0 ? inside : inside.slice(0, body);
    const marks = [
      ...(prefix === "x" ? ["skip"] : prefix === "f" ? ["only"] : []),
      ...[...modifiers.matchAll(MARKS)].map(([mark]) => mark),
      ...[...head.matchAll(OPTION)].map(([, mark = ""]) => mark),
      ...(isSuite ? [] : [...inside.matchAll(RUN_TIME)].map(([, mark = ""]) => mark)),
    ];
    return [{ title, marks, from: match.index, to, isSuite }];
  });
}

function skipSpace(text: string, at: number): number {
  return at + (/^\s*/.exec(text.slice(at, at + 200))?.[0].length ?? 0);
}

/** The first argument if it is a string; null if the call is something else. */
function titleAt(code: string, bare: string, at: number): string | null {
  const start = skipSpace(bare, at);
  const quote = bare[start] ?? "";
  if (!`"'\``.includes(quote) || quote === "") return null;
  const end = bare.indexOf(quote, start + 1);
  return end < 0 ? null : code.slice(start + 1, end).replaceAll(/\\(.)/g, "$1");
}

const METHOD = /^[ \t]*(?:async[ \t]+)?(def|class)[ \t]+(\w+)/gm;

function methodsIn({ code, bare }: Lexed): Declared[] {
  return some(bare.matchAll(METHOD)).flatMap((match): Declared[] => {
    const [, kind, title = ""] = match;
    const isSuite = kind === "class";
    if (!isSuite && !title.startsWith("test")) return [];
    const to = indentedEnd(bare, match.index);
    const marks = [
      ...[...decoratorsBefore(code, match.index).matchAll(/\b(?:skip\w*|expectedFailure|xfail)\b/g)].map(([mark]) => mark),
      ...(isSuite
        ? []
        : [...bare.slice(match.index, to).matchAll(/\b(?:self\.skipTest|pytest\.(?:skip|xfail)|SkipTest)\b/g)].map(() => "skip")),
    ];
    return [{ title, marks, from: match.index, to, isSuite }];
  });
}

function decoratorsBefore(code: string, at: number): string {
  const lines = code
    .slice(Math.max(0, at - 2_000), at)
    .split("\n")
    .slice(0, -1);
  const last = lines.findLastIndex((line) => !line.trimStart().startsWith("@"));
  return lines.slice(last + 1).join("\n");
}

const EXIT: Readonly<Record<TestLanguage, RegExp>> = { js: /\breturn\s*(?:;|\}|$)/gm, py: /^[ \t]*return[ \t]*$/gm };
const SWALLOW: Readonly<Record<TestLanguage, RegExp>> = {
  js: /\bcatch\s*(?:\([^)]*\))?\s*\{\s*\}|\.catch\(\s*\(\w*\)\s*=>\s*(?:\{\s*\}|undefined|null)\s*\)/g,
  py: /^[ \t]*except[^\n]*:\s*(?:pass|\.\.\.)[ \t]*$|\bsuppress\(/gm,
};

function describe(source: Lexed, { title, marks, from, to }: Place, language: TestLanguage, names: readonly string[]): FoundTest {
  const piece = { code: source.code.slice(from, to), bare: source.bare.slice(from, to) };
  const count = (pattern: RegExp) => [...piece.bare.matchAll(pattern)].length;
  return {
    title,
    marks,
    assertions: assertionsIn(piece, language, names),
    code: piece.code.replaceAll(/\s+/g, " ").trim(),
    exits: count(EXIT[language]),
    swallows: count(SWALLOW[language]),
    calls: [...new Set([...piece.bare.matchAll(/([A-Za-z_$][\w$]*)\s*\(/g)].map(([, name = ""]) => name))],
  };
}

function without({ code, bare }: Lexed, places: readonly Place[]): Lexed {
  const cut = (text: string) => places.reduceRight((left, { from, to }) => left.slice(0, from) + left.slice(to), text);
  return { code: cut(code), bare: cut(bare) };
}

/** `import { equal } from "node:assert"`: `equal(…)` asserts. */
function assertionNames(code: string): string[] {
  return [
    ...code.matchAll(/import\s*\{([^}]*)\}\s*from\s*["'](?:node:)?(?:assert(?:\/strict)?|chai|power-assert|uvu\/assert)["']/g),
  ].flatMap(([, list = ""]) => list.split(",").flatMap((name) => /(?:\bas\s+)?([\w$]+)\s*$/.exec(name)?.[1] ?? []));
}

function functionsIn({ code, bare }: Lexed, language: TestLanguage): (Lexed & { readonly name: string })[] {
  const pattern =
    language === "py" ? /\bdef[ \t]+(\w+)/g : /\bfunction\s+([\w$]+)|\b(?:const|let)\s+([\w$]+)\s*=\s*(?:async\s*)?(?:function\b|\()/g;
  return some(bare.matchAll(pattern)).map((match) => {
    const from = match.index;
    const brace = bare.indexOf("{", from);
    const to = language === "py" ? indentedEnd(bare, from) : brace < 0 ? bare.length : closingOf(bare, brace);
    const end = Math.min(to, from + LONGEST_SHARED);
    return { name: match[1] ?? match[2] ?? "", code: code.slice(from, end), bare: bare.slice(from, end) };
  });
}
