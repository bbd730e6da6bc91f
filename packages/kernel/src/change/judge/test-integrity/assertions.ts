import { closingOf, type TestLanguage, type Lexed } from "./test-language.ts";

/** What one assertion checks. */
export interface Assertion {
  readonly method: string;
  /** Whether it compares with a specific value. */
  readonly exact: boolean;
  /** The values it names, in order. */
  readonly literals: readonly string[];
  /** It neither reads nor calls anything, so it always holds. */
  readonly idle: boolean;
}

const CALLS: Readonly<Record<TestLanguage, RegExp>> = {
  js: /(?<![\w$.])(?:(?:t|context|ctx|chai|sinon|power|fc)\.)?(?:assert|expect)(?:\.\w+)*\s*\(|(?<![\w$.])t\.(?:is|not|like|same|equal|equals|deepEqual|notEqual|true|false|truthy|falsy|ok|notOk|throws|doesNotThrow|rejects|regex|match|snapshot|error|pass|fail)\s*\(/g,
  py: /(?<![\w.])(?:self|cls|unittest\.TestCase)\.(?:assert\w+|fail\w*)\s*\(|(?<![\w.])(?:pytest\.)?(?:raises|warns|approx)\s*\(|(?<![\w.])[\w.]*\bassert_\w+\s*\(|(?<![\w.])assert\b/g,
};

const LOOSE =
  /^(?:assert|(?:t\.)?assert\.(?:ok|notEqual|notStrictEqual|notDeepEqual|notDeepStrictEqual|doesNotThrow|doesNotReject|ifError|exists?|isOk|isDefined|fail)|t\.(?:ok|notOk|truthy|falsy|pass|not|doesNotThrow)|expect\b.*\.(?:toBeTruthy|toBeFalsy|toBeDefined|toBeUndefined|not\b.*|toHaveBeenCalled|anything)|self\.(?:assertTrue|assertFalse|assertIsNotNone|assertIsNone|assertNot\w+|assertGreater\w*|assertLess\w*|assertAlmost\w+))$/;

/** The assertions in a piece of code. `names` are functions imported by name from an assertion library. */
export function assertionsIn(piece: Lexed, language: TestLanguage, names: readonly string[] = []): Assertion[] {
  return assertionPlaces(piece, language, names).map(({ from, to }) => assertion(piece.code.slice(from, to), piece.bare.slice(from, to)));
}

export interface AssertionPlace {
  /** Positions in the piece. */
  readonly from: number;
  readonly to: number;
}

export function assertionPlaces({ bare }: Lexed, language: TestLanguage, names: readonly string[] = []): AssertionPlace[] {
  const own = names.map((name) => RegExp.escape(name)).join("|");
  const pattern = own === "" ? CALLS[language] : new RegExp(`${CALLS[language].source}|(?<![\\w$.])(?:${own})\\s*\\(`, "g");
  const places: AssertionPlace[] = [];
  let end = 0;
  for (const match of bare.matchAll(pattern)) {
    // A nested assertion belongs to the outer one.
    if (match.index < end) continue;
    end =
      language === "py" && !match[0].endsWith("(") ? statementEnd(bare, match.index) : chainEnd(bare, match.index + match[0].length - 1);
    places.push({ from: match.index, to: end });
  }
  return places;
}

/** `expect(x).not.toBe(y)`: the end of the whole call chain. */
function chainEnd(bare: string, open: number): number {
  let end = closingOf(bare, open);
  for (let next = CHAINED.exec(bare.slice(end, end + 200)); next !== null; next = CHAINED.exec(bare.slice(end, end + 200))) {
    end += next[0].length;
    if (next[0].endsWith("(")) end = closingOf(bare, end - 1);
  }
  return end;
}

const CHAINED = /^\s*\.\s*\w+\s*\(?/;

/** `assert a == b`, over several lines while brackets are open. */
function statementEnd(bare: string, from: number): number {
  for (let at = from; at < bare.length; at++) {
    if ("([{".includes(bare[at] ?? "")) at = closingOf(bare, at) - 1;
    else if (bare[at] === "\n") return at;
  }
  return bare.length;
}

function assertion(code: string, bare: string): Assertion {
  const method = methodOf(bare);
  const rest = bare.slice(bare.search(/[\s(]/));
  return {
    method,
    exact: !LOOSE.test(method) || /[^=!<>]==/.test(rest),
    literals: literalsIn(code.slice(code.search(/[\s(]/))),
    idle:
      !/[A-Za-z_$][\w$]*/.test(
        rest.replaceAll(/\b(?:true|false|null|undefined|None|True|False|new|Error|not|is|and|or|toBe\w*|toEqual|toStrictEqual|not)\b/g, ""),
      ) || comparesWithItself(code),
  };
}

/** The names of the calls in a chain, without their arguments. */
export function methodOf(bare: string): string {
  let name = "";
  for (let at = 0; at < bare.length; at++) {
    const character = bare[at] ?? "";
    if (character === "(") at = closingOf(bare, at) - 1;
    else if (/[\w.$]/.test(character)) name += character;
    else if (/\s/.test(character) && !/^\s*[.(]/.test(bare.slice(at))) break;
  }
  return name;
}

function comparesWithItself(code: string): boolean {
  const open = code.indexOf("(");
  const [first = "", second = ""] =
    open < 0 ? code.replace(/^assert\s/, "").split("==") : topLevelArguments(code.slice(open + 1, closingOf(code, open) - 1));
  const [left, right] = [first.trim(), second.trim()];
  return left !== "" && left === right;
}

function topLevelArguments(text: string): string[] {
  return splitArguments(text).map(({ from, to }) => text.slice(from, to));
}

/** Positions of the arguments in a text between two brackets. */
export function splitArguments(text: string): AssertionPlace[] {
  const parts: AssertionPlace[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === ",") {
      parts.push({ from, to: at });
      from = at + 1;
    } else if ("([{".includes(text[at] ?? "")) at = closingOf(text, at) - 1;
  }
  return [...parts, { from, to: text.length }];
}

export const LITERAL =
  /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|(?<![\w$.])\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?|\b(?:true|false|null|undefined|None|True|False)\b/g;

function literalsIn(code: string): string[] {
  return [...code.matchAll(LITERAL)].map(([literal]) => literal.replaceAll(/^['`]|['`]$/g, '"'));
}
