import { languageOf, lex } from "./test-language.ts";
import { readTests, type FoundTest } from "./tests-in.ts";

/** The tests that one source declares, as far as static reading can tell. */
export interface DeclaredTitles {
  /** Tests that run once whenever the file runs. */
  readonly certain: readonly string[];
  /** Tests whose number depends on data: in a loop, from a table, with parameters. */
  readonly repeated: readonly string[];
  /** Tests with a mark such as skip or only, or that decide at run time whether they run. */
  readonly marked: readonly string[];
  /** Titles built at run time, as their fixed parts; `[""]` matches any title. */
  readonly patterns: readonly (readonly string[])[];
}

const NONE: DeclaredTitles = { certain: [], repeated: [], marked: [], patterns: [] };

/** Languages whose tests are named functions. */
const FUNCTIONS: readonly (readonly [file: RegExp, test: RegExp])[] = [
  [/_test\.go$/, /^func (Test\w+)\(/gm],
  [/\.rs$/, /#\[(?:\w+::)?test\b[^\]]{0,200}\]\s{0,200}(?:pub\s+)?(?:async\s+)?fn\s+(\w+)/g],
  [/\.(?:java|kt)$/, /@Test\b[^\n{;]{0,200}\s{1,200}(?:[\w<>]{1,80}\s{1,20}){0,4}(\w+)\s*\(/g],
];

/** Loops and tables outside the tests, which change how often a test runs. */
const REPEATED = /\b(?:for|while)\b|\.(?:forEach|map|flatMap|each)\b|\bparametrize\b|\bsubTest\b/;
const NO_TITLE = /(?<![\w$.])(?:test|it|specify)(?:\s*\.\s*\w+)*\s*\(\s*(?!\s)(?!["'`)])/;
const PLACEHOLDER = /\$\{[^}]*\}|%[a-zA-Z#%]|\$[\w.#]+/;

/** Null for a language whose tests cannot be read. */
export function declaredTitles(path: string, text: string): DeclaredTitles | null {
  const language = languageOf(path);
  if (language === null) return functionsIn(path, text);
  const { tests, rest } = readTests(text, language);
  const isRepeated = REPEATED.test(rest.code);
  const isMadeAtRunTime = (title: string) => language === "js" && PLACEHOLDER.test(title);
  const fixed = tests.filter(({ title }) => !isMadeAtRunTime(title));
  const kindOf = ({ marks, code }: FoundTest) =>
    marks.length > 0 ? "marked" : isRepeated || /^\w+\s*\.\s*each\b/.test(code) ? "repeated" : "certain";
  const titlesOf = (kind: ReturnType<typeof kindOf>) => fixed.filter((test) => kindOf(test) === kind).map(({ title }) => tidy(title));
  return {
    certain: titlesOf("certain"),
    repeated: titlesOf("repeated"),
    marked: titlesOf("marked"),
    patterns: [
      ...tests.filter(({ title }) => isMadeAtRunTime(title)).map(({ title }) => title.split(new RegExp(PLACEHOLDER, "g")).map(tidy)),
      ...(language === "js" && NO_TITLE.test(lex(rest.code, language).bare) ? [[""]] : []),
    ],
  };
}

function functionsIn(path: string, text: string): DeclaredTitles | null {
  const known = FUNCTIONS.find(([file]) => file.test(path));
  if (known === undefined) return null;
  return { ...NONE, certain: [...text.matchAll(known[1])].map(([, name = ""]) => name) };
}

const LONGEST = 1_000;

/**
 * Normalises a title as reports do: no line ends and no control characters. Node escapes quotes twice. A very long title is compared by its
 * end.
 */
export function tidy(title: string): string {
  return title
    .slice(-4 * LONGEST)
    .replaceAll(/\p{Cc}+/gu, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll("&quot;", '"')
    .trim()
    .slice(-LONGEST);
}
