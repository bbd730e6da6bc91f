import { describe, expect, test } from "vitest";
import { hiddenCharacter } from "./hidden-characters.ts";

describe("what a reader does not see as it is", () => {
  test.each([
    ["an override", "/*\u202e } \u2066if (a)\u2069 */", "U+202E", /reorders/],
    ["an isolate among letters of Hebrew", "שלום\u2067 x", "U+2067", /reorders/],
    ["a mark in a line without letters that run to the left", "if (a\u200f)", "U+200F", /reorders/],
    ["an escape sequence", "a \u001b[2K", "U+001B", /terminal/],
    ["a C1 control", "\u009b2K", "U+009B", /terminal/],
    ["a carriage return inside a line", "evil()\r// fine", "U+000D", /terminal/],
    ["a backspace", "a\b", "U+0008", /terminal/],
    ["a line separator", "// fine\u2028evil()", "U+2028", /ends a line/],
    ["a zero-width space", "ad\u200bmin", "U+200B", /invisible/],
    ["a joiner in a Latin word", "ad\u200dmin", "U+200D", /invisible/],
    ["a soft hyphen", "ad\u00admin", "U+00AD", /invisible/],
    ["a letter that is a filler", "const \u3164 = 1", "U+3164", /invisible/],
    ["a variation selector after a letter", "a\ufe0f", "U+FE0F", /invisible/],
    ["more variation selectors than an emoji has", "❤\ufe0f\ufe0f", "U+FE0F", /invisible/],
    ["a text of tags", "ok\u{e0041}", "U+E0041", /invisible/],
    ["a text of tags behind a flag", `🏴${"\u{e0061}".repeat(20)}\u{e007f}`, "U+E0061", /invisible/],
    ["a byte order mark inside a line", "a\ufeff", "U+FEFF", /invisible/],
  ])("%s", (_what, line, code, effect) => {
    expect(hiddenCharacter(line)).toEqual({ code, effect: expect.stringMatching(effect) });
  });
});

describe("no reason to doubt", () => {
  test.each([
    ["code", "if (a < b) { return '\\u202e'; }\t\f\r"],
    ["French and German", "« Größe » – 10 % d’été"],
    ["Arabic and Hebrew", 'const hello = ["مرحبا", "שלום"];'],
    ["marks beside them", "שלום\u200f!"],
    ["Persian and Hindi words with joiners", "می\u200cخواهم क्\u200dष"],
    ["Thai with breaks", "ภาษา\u200bไทย"],
    ["emoji", "👩🏽\u200d💻 ❤\ufe0f ☎\ufe0e 1\ufe0f\u20e3 👨\u200d👩\u200d👧 ©\ufe0f"],
    ["flags", "🇩🇪 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}"],
    ["variants of Han and Mongolian", "葛\u{e0100} ᠠ\u180b"],
    ["Korean, Japanese, Chinese", "한국어 日本語\u3000中文 \u1112\u1160"],
    ["nothing", ""],
  ])("%s", (_what, line) => {
    expect(hiddenCharacter(line)).toBeNull();
  });
});
