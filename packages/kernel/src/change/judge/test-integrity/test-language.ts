export type TestLanguage = "js" | "py";

const EXTENSIONS: readonly (readonly [RegExp, TestLanguage])[] = [
  [/\.[cm]?[jt]sx?$/, "js"],
  [/\.py$/, "py"],
];

/** The language of a file if its tests can be read, else null. */
export function languageOf(path: string): TestLanguage | null {
  return EXTENSIONS.find(([pattern]) => pattern.test(path))?.[1] ?? null;
}

/** A source in two forms of the same length, so that positions are equal in all three. */
export interface Lexed {
  /** Without comments. */
  readonly code: string;
  /** Without comments and without the contents of strings. */
  readonly bare: string;
}

/** Good enough to find calls and blocks. Not a parser; linear on every input. */
export function lex(text: string, language: TestLanguage): Lexed {
  const code = [...blank(text)];
  const bare = [...blank(text)];
  const keep = (from: number, to: number, also: string[] | null = bare) => {
    for (let at = from; at < to; at++) {
      code[at] = text[at] ?? "";
      if (also !== null) also[at] = text[at] ?? "";
    }
  };
  for (let at = 0; at < text.length;) {
    const comment = commentEnd(text, at, language);
    if (comment !== null) {
      at = comment;
      continue;
    }
    const string = stringEnd(text, at, language);
    if (string === null) {
      keep(at, at + 1);
      at++;
      continue;
    }
    keep(at, string.from);
    keep(string.from, string.to, null);
    keep(string.to, string.end);
    at = string.end;
  }
  return { code: code.join(""), bare: bare.join("") };
}

/** Line ends stay in place. UTF-16 units, like string positions. */
function blank(text: string): string[] {
  return Array.from({ length: text.length }, (_, at) => (text[at] === "\n" ? "\n" : " "));
}

function commentEnd(text: string, at: number, language: TestLanguage): number | null {
  if (language === "py") return text[at] === "#" ? lineEnd(text, at) : null;
  if (text.startsWith("//", at)) return lineEnd(text, at);
  return text.startsWith("/*", at) ? endAfter(text, "*/", at + 2) : null;
}

/** Start and end of the text between the quotes, and the end of the literal. */
interface Quoted {
  readonly from: number;
  readonly to: number;
  readonly end: number;
}

function stringEnd(text: string, at: number, language: TestLanguage): Quoted | null {
  const quote = text[at] ?? "";
  if (language === "py") {
    const triple = quote.repeat(3);
    if (quote !== '"' && quote !== "'") return null;
    return text.startsWith(triple, at) ? quoted(text, at, triple, true) : quoted(text, at, quote, false);
  }
  if (quote === '"' || quote === "'") return quoted(text, at, quote, false);
  if (quote === "`") return quoted(text, at, quote, true);
  return quote === "/" && /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\breturn|\btypeof)$/.test(text.slice(Math.max(0, at - 20), at).trimEnd())
    ? quoted(text, at, "/", false)
    : null;
}

/** A string without a closing quote ends at the end of its line. */
function quoted(text: string, at: number, quote: string, overLines: boolean): Quoted {
  const from = at + quote.length;
  for (let to = from; to < text.length; to++) {
    if (text[to] === "\\") to++;
    // In a character class a slash does not end a regular expression.
    else if (quote === "/" && text[to] === "[" && /^\[[^\]\n]*\]/.test(text.slice(to, to + 200))) to = text.indexOf("]", to);
    else if (text.startsWith(quote, to)) return { from, to, end: to + quote.length };
    else if (text[to] === "\n" && !overLines) return { from, to, end: to };
  }
  return { from, to: text.length, end: text.length };
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function endAfter(text: string, mark: string, at: number): number {
  const end = text.indexOf(mark, at);
  return end < 0 ? text.length : end + mark.length;
}

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Brackets further apart count as unclosed: a file of only opening brackets must not take quadratic time. */
const FURTHEST = 32 * 1024;

/** The position after the closing bracket for the one at `open`, or the end of the searched range. */
export function closingOf(bare: string, open: number): number {
  const [opening = "", closing = ""] = [bare[open] ?? "", CLOSING[bare[open] ?? ""] ?? ""];
  const last = Math.min(bare.length, open + FURTHEST);
  let depth = 0;
  for (let at = open; at < last; at++) {
    if (bare[at] === opening) depth++;
    else if (bare[at] === closing && --depth === 0) return at + 1;
  }
  return last;
}

/** The end of the block below a Python header line: all lines indented further. */
export function indentedEnd(text: string, header: number): number {
  const start = text.lastIndexOf("\n", header - 1) + 1;
  const depth = indentOf(text.slice(start, lineEnd(text, start)));
  let end = lineEnd(text, header);
  while (end < text.length && end < header + FURTHEST) {
    const line = text.slice(end + 1, lineEnd(text, end + 1));
    if (line.trim() !== "" && indentOf(line) <= depth) break;
    end = lineEnd(text, end + 1);
  }
  return end;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
