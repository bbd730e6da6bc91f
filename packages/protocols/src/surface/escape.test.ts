import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapeBytes, escapedWidth, escapeText, jsonLine } from "./escape.ts";
import { paint } from "./paint.ts";
import { screenText } from "./style.ts";

const anyText = fc.string({ unit: "binary", maxLength: 40 });
/** Texts of dangerous characters, lookalikes of escapes and harmless characters. */
const hostile = fc
  .array(
    fc
      .constantFrom("\u001b[2K", "\u001b[1A", "\u001b]52;c;eA==\u0007", "\u009b", "\r", "\b", "\u202e", "\u200b", "\u{e0041}", "\ud800")
      .chain((bad) =>
        fc.constantFrom(bad, "<", "U+", "<U+001B>", "<U+00", "1B>", "0xE9>", "<0x", "a", " ", "\n", "\t", "\u0301", "é", "日", "✔"),
      ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));
const texts = fc.oneof(anyText, hostile);

const SHOWN = /^(?:[\p{L}\p{N}\p{P}\p{S}\p{M}]|[ \t\n])*$/u;

/** Undoes `escapeText` and `escapeBytes`. */
function bytesOf(shown: string): Buffer {
  const parts = shown.split(/<(U\+[0-9A-F]{4,6}|0x[0-9A-F]{2})>/);
  return Buffer.concat(
    parts.map((part, index) => {
      if (index % 2 === 0) return Buffer.from(part);
      return part.startsWith("0x")
        ? Buffer.from(part.slice(2), "hex")
        : Buffer.from(String.fromCodePoint(Number.parseInt(part.slice(2), 16)));
    }),
  );
}

describe("B10: what reaches a terminal", () => {
  test.each([
    ["a line that is erased", "a\u001b[2K\u001b[1A", "a<U+001B>[2K<U+001B>[1A"],
    ["the clipboard", "\u001b]52;c;aGk=\u0007", "<U+001B>]52;c;aGk=<U+0007>"],
    ["C1 controls", "\u009b31m\u0085", "<U+009B>31m<U+0085>"],
    ["carriage return and backspace", "a\rb\bc\r\n", "a<U+000D>b<U+0008>c<U+000D>\n"],
    ["overrides and isolates", "\u202a\u202e\u2066\u2069\u200e\u200f\u061c", "<U+202A><U+202E><U+2066><U+2069><U+200E><U+200F><U+061C>"],
    ["zero width", "a\u200b\u200c\u200d\u2060\ufeff", "a<U+200B><U+200C><U+200D><U+2060><U+FEFF>"],
    ["tag characters", "\u{e0041}", "<U+E0041>"],
    ["separators", "\u2028\u2029\u00a0\u3000", "<U+2028><U+2029><U+00A0><U+3000>"],
    [
      "soft hyphen, fillers, variation selectors",
      "\u00ad\u3164\u115f\uffa0\u2800\ufe0f",
      "<U+00AD><U+3164><U+115F><U+FFA0><U+2800><U+FE0F>",
    ],
    ["lone surrogates", "\ud800x\udfff", "<U+D800>x<U+DFFF>"],
    ["a combining mark without a base character", "+\u0301", "+<U+0301>"],
    ["text that looks like an escape", "<U+001B> <0xE9>", "<U+003C>U+001B> <U+003C>0xE9>"],
    ["harmless text", "größe 日本 e\u0301 👍 ✔\t<U>\n", "größe 日本 e\u0301 👍 ✔\t<U>\n"],
  ])("%s", (_what, text, shown) => {
    expect(escapeText(text)).toBe(shown);
    expect(screenText(text)).toBe(shown);
  });

  test("contains only letters, digits, signs, blanks, tabs and line ends, and no two texts look the same", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const shown = escapeText(text);
        expect(shown).toMatch(SHOWN);
        expect(shown.replaceAll(/<U\+([0-9A-F]{4,6})>/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  test("shows bytes that are not UTF-8, and no two files look the same", () => {
    const bytes = fc.array(
      fc.oneof(
        fc.uint8Array({ maxLength: 6 }),
        hostile.map((text) => Buffer.from(text)),
        fc.constant(Buffer.from("<0xE9>\n")),
      ),
    );
    fc.assert(
      fc.property(bytes, (parts) => {
        const whole = Buffer.concat(parts);
        expect(escapeBytes(whole)).toMatch(SHOWN);
        expect(bytesOf(escapeBytes(whole)).equals(whole)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    expect(escapeBytes(Buffer.from([0x63, 0xe9, 0x0a, 0xc3, 0xa9]))).toBe("c<0xE9>\né");
  });

  test("has Slipway's own styles around text without escape sequences", () => {
    const styles = paint(true);
    fc.assert(
      fc.property(texts, fc.constantFrom("bold", "dim", "red", "green", "yellow", "cyan"), (text, style) => {
        const shown = screenText(`${text}${styles[style](text)}${text}`);
        // oxlint-disable-next-line no-control-regex
        const [before, inner, after, ...rest] = shown.split(/\u001b\[(?:1|2|22|31|32|33|36|39)m/);
        expect([before, inner, after, rest]).toEqual([escapeText(text), escapeText(text), escapeText(text), []]);
      }),
    );
    expect(screenText("\u001b{0123456789abcdef0123456789abcdef:31}\u001b[31m")).toBe(
      "<U+001B>{0123456789abcdef0123456789abcdef:31}<U+001B>[31m",
    );
  });

  test("has JSON with the same value, and nothing in it to escape", () => {
    fc.assert(
      fc.property(fc.oneof(texts, fc.jsonValue()), (value) => {
        const line = jsonLine(value);
        expect(screenText(line)).toBe(line);
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 1_000 },
    );
  });
});

test("bytes that are not UTF-8 are shown one by one, beside text of every length", () => {
  const invalid = Buffer.concat([
    Buffer.from("ok\n"),
    Buffer.from([0xe9]),
    Buffer.from("é€😀\u202e"),
    Buffer.from([0xff, 0x0a]),
    Buffer.from("end"),
  ]);
  expect(escapeBytes(invalid)).toBe("ok\n<0xE9>é€😀<U+202E><0xFF>\nend");
  expect(escapeBytes(Buffer.from("plain"))).toBe("plain");
});

test("a column of a table is as wide as what is shown in it, so that no hidden character moves the next one", () => {
  for (const character of ["a", "é", "\u001b", "\u202e", "\u{e0041}", "\ud800", "\u3000"])
    expect(escapedWidth(character), JSON.stringify(character)).toBe(character === escapeText(character) ? 0 : escapeText(character).length);
  // Beside a base character it is shown as it is, and alone it takes no column of its own.
  expect(escapedWidth("\u0301")).toBe(0);
});

test("a value that JSON cannot hold is a line that programs can read", () => {
  expect(jsonLine(undefined)).toBe("null\n");
});
