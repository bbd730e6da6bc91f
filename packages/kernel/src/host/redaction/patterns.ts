import { MARK, type TextStream } from "./contract.ts";

/** A pattern matches only where a token can start and has a bounded length, so that matching is linear. */
const START = "(?<![A-Za-z0-9_-])";
/** The beginning and the rest of each kind of token. */
const TOKENS = [
  ["gh[pousr]_", "[A-Za-z0-9]{20,255}"],
  ["github_pat_", "[A-Za-z0-9_]{20,255}"],
  ["glpat-", "[A-Za-z0-9_-]{20,255}"],
  ["xox[abeprs]-", "[A-Za-z0-9-]{10,255}"],
  ["sk-", "[A-Za-z0-9_-]{20,255}"],
  ["[rs]k_(?:live|test)_", "[A-Za-z0-9]{16,255}"],
  ["npm_", "[A-Za-z0-9]{36,255}"],
  ["pypi-", "[A-Za-z0-9_-]{40,255}"],
  ["dop_v1_", "[a-f0-9]{64}"],
  ["hf_", "[A-Za-z0-9]{30,255}"],
  ["slp_", "[A-Za-z0-9_-]{40,4096}(?:\\.[A-Za-z0-9_-]{1,255})?"],
  ["(?:AKIA|ASIA)", "[A-Z0-9]{16}"],
  ["AIza", "[A-Za-z0-9_-]{35}"],
  ["eyJ", "[A-Za-z0-9_-]{8,4096}\\.[A-Za-z0-9_-]{8,4096}\\.[A-Za-z0-9_-]{8,1024}"],
] as const;
/** The same for secrets after a readable prefix, which is the first group. */
const AFTER = [
  ["\\b[Bb]earer[ \\t]", "((?:\\b[Bb]earer|\\b[Aa]uthorization:[ \\t]{0,8}Basic)[ \\t]{1,8})[A-Za-z0-9._~+/=-]{16,4096}"],
  ["\\b[Aa]uthorization:", ""],
  ["://", "((?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\\s:/@]{0,128}:)[^\\s/@]{3,256}(?=@)"],
] as const;
const after = AFTER.map(([, whole]) => whole).filter((whole) => whole !== "");
const PATTERN = new RegExp(`${START}(?:${TOKENS.map((parts) => parts.join("")).join("|")})|${after.join("|")}`, "g");
/** A fast check: most texts contain none of these beginnings and need no replacement. */
const BEGINNING = new RegExp(`${START}(?:${TOKENS.map(([begin]) => begin).join("|")})|${AFTER.map(([begin]) => begin).join("|")}`);

const KEY_BEGIN = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/;
const KEY_END = /-----END [A-Z ]{0,40}PRIVATE KEY-----/;
/** Limits a key without an end, which must not swallow the rest of a log. */
const LONGEST_KEY = 16_384;

const WINDOW = 65_536;
/** Longer than any pattern needs to be recognised. */
const OVERLAP = 512;
const TOKEN_CHARACTER = /[A-Za-z0-9_.~+/=-]/;

/** Replaces text that looks like a token or a private key, line by line. */
export function tokenStream(): TextStream {
  let buffer = "";
  /** Characters of a private key dropped so far; null outside a key. */
  let inKey: number | null = null;
  /** The last window ended inside a token. */
  let inToken = false;

  function lines(text: string): string {
    if (inKey === null && !text.includes("PRIVATE KEY-----")) return replaceTokens(text);
    let out = "";
    for (const line of text.split(/(?<=\n)/)) out += oneLine(line);
    return out;
  }

  function oneLine(line: string): string {
    if (inKey === null) {
      const begin = KEY_BEGIN.exec(line);
      if (begin === null) return replaceTokens(line);
      inKey = 0;
      return replaceTokens(line.slice(0, begin.index)) + MARK + oneLine(line.slice(begin.index + begin[0].length));
    }
    const end = KEY_END.exec(line);
    inKey += line.length;
    if (end !== null) {
      inKey = null;
      return oneLine(line.slice(end.index + end[0].length));
    }
    if (inKey > LONGEST_KEY) inKey = null;
    return "";
  }

  /** A line longer than a window is cut where no token is. */
  function cutWindow(): string {
    const window = buffer.slice(0, WINDOW);
    let cut = WINDOW - OVERLAP;
    for (const match of window.matchAll(PATTERN)) {
      const end = match.index + match[0].length;
      if (match.index < cut && end > cut) cut = end;
    }
    inToken = cut === WINDOW;
    buffer = buffer.slice(cut);
    return lines(window.slice(0, cut));
  }

  function swallowToken(): void {
    if (!inToken) return;
    let index = 0;
    while (index < buffer.length && TOKEN_CHARACTER.test(buffer.charAt(index))) index++;
    inToken = index === buffer.length;
    buffer = buffer.slice(index);
  }

  return {
    write(chunk) {
      buffer += chunk;
      let out = "";
      for (;;) {
        swallowToken();
        const end = endOfShortLines(buffer);
        if (end > 0) {
          const text = buffer.slice(0, end);
          buffer = buffer.slice(end);
          out += lines(text);
        } else if (buffer.length >= WINDOW) out += cutWindow();
        else return out;
      }
    },
    end() {
      const text = buffer;
      buffer = "";
      return lines(text);
    },
  };
}

function replaceTokens(text: string): string {
  if (!BEGINNING.test(text)) return text;
  return text.replaceAll(PATTERN, (_, first: string | undefined, second: string | undefined) => `${first ?? second ?? ""}${MARK}`);
}

/** The end of the complete lines before the first one that is longer than a window; independent of the chunks. */
function endOfShortLines(text: string): number {
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0 && end - start < WINDOW; end = text.indexOf("\n", start)) start = end + 1;
  return start;
}
