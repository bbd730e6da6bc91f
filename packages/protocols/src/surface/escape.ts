/**
 * Characters that a terminal executes, hides, reorders or shows like another one: controls, format characters (bidirectional,
 * zero-width, tags), fillers and variation selectors, every space and separator except blank, tab and line feed, lone surrogates,
 * private and unassigned code points, and a combining mark without a base character.
 */
const HIDDEN = String.raw`[[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Z}\p{DI}\u{2800}]--[ \t\n]]|(?<![\p{L}\p{N}\p{M}])\p{M}`;
/** Text that looks like one of our escapes. */
const LOOKALIKE = String.raw`<(?=U\+[0-9A-F]{4,6}>|0x[0-9A-F]{2}>)`;
const ESCAPED = new RegExp(`${HIDDEN}|${LOOKALIKE}`, "gv");
const ALONE = new RegExp(HIDDEN, "v");

/** Safe to print: shows each such character as `<U+202E>`. Different texts stay different. */
export function escapeText(text: string): string {
  return text.replaceAll(ESCAPED, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;
}

/** The columns that the escape of a character takes on a screen; 0 if it is not escaped. */
export function escapedWidth(character: string): number {
  return ALONE.test(character) && !/\p{M}/u.test(character) ? escapeCharacter(character).length : 0;
}

/** The same for bytes: shows each byte that is not UTF-8 as `<0xE9>`. */
export function escapeBytes(bytes: Uint8Array): string {
  const whole = decoded(bytes);
  if (whole !== null) return escapeText(whole);
  let shown = "";
  // Line by line, so that only lines with invalid bytes take the slow path.
  for (let start = 0; start < bytes.length;) {
    const feed = bytes.indexOf(10, start);
    const end = feed < 0 ? bytes.length : feed + 1;
    const line = bytes.subarray(start, end);
    const text = decoded(line);
    shown += text === null ? piecemeal(line) : escapeText(text);
    start = end;
  }
  return shown;
}

function piecemeal(line: Uint8Array): string {
  let shown = "";
  let text = "";
  for (let at = 0; at < line.length;) {
    const lead = line[at] ?? 0;
    const length = sequenceLength(lead);
    const character = decoded(line.subarray(at, at + length));
    if (character === null) {
      shown += `${escapeText(text)}<0x${lead.toString(16).toUpperCase().padStart(2, "0")}>`;
      text = "";
      at++;
    } else {
      text += character;
      at += length;
    }
  }
  return shown + escapeText(text);
}

function sequenceLength(lead: number): number {
  return lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decoded(bytes: Uint8Array): string | null {
  try {
    return UTF8.decode(bytes);
  } catch {
    return null;
  }
}

/** One line of JSON with the same value, in which `escapeText` has nothing to escape. */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return `${text.replaceAll(ESCAPED, (character) => Array.from({ length: character.length }, (_, at) => unitOf(character, at)).join(""))}\n`;
}

function unitOf(character: string, at: number): string {
  return `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
}
