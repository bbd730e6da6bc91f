export type Language = "js" | "py";

const EXTENSIONS: readonly (readonly [RegExp, Language])[] = [
  [/\.[cm]?[jt]sx?$/, "js"],
  [/\.py$/, "py"],
];

/** The languages whose tests can be read; null for all others. */
export function languageOf(path: string): Language | null {
  return EXTENSIONS.find(([pattern]) => pattern.test(path))?.[1] ?? null;
}

/** A source in two forms, each as long as it is, so that places are the same in all three. */
export interface Lexed {
  /** Without comments. */
  readonly code: string;
  /** Without comments and without what strings say. */
  readonly bare: string;
}

/** Good enough to find calls and blocks: not a parser, and nothing in it can run for long on any input. */
export function lex(text: string, language: Language): Lexed {
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

/** Line ends stay where they are. UTF-16 units, as places in a string are. */
function blank(text: string): string[] {
  return Array.from({ length: text.length }, (_, at) => (text[at] === "\n" ? "\n" : " "));
}

function commentEnd(text: string, at: number, language: Language): number | null {
  if (language === "py") return text[at] === "#" ? lineEnd(text, at) : null;
  if (text.startsWith("//", at)) return lineEnd(text, at);
  return text.startsWith("/*", at) ? endAfter(text, "*/", at + 2) : null;
}

/** Where what is between the quotes begins and ends, and where the whole thing ends. */
interface Quoted {
  readonly from: number;
  readonly to: number;
  readonly end: number;
}

function stringEnd(text: string, at: number, language: Language): Quoted | null {
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

/** A string that its line ends before its quote does is taken to end there. */
function quoted(text: string, at: number, quote: string, overLines: boolean): Quoted {
  const from = at + quote.length;
  for (let to = from; to < text.length; to++) {
    if (text[to] === "\\") to++;
    // In a class of characters a slash does not end a regular expression.
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

/** Brackets that are further apart than this are taken for unclosed: a file of nothing but opening ones must not cost its square. */
const FURTHEST = 32 * 1024;

/** The place after the bracket that closes the one at `open`; as far as anybody looks where none does. */
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

/** The block of a Python header line: everything below it that is indented further. */
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
