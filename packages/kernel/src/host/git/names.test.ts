import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decodePath,
  decodeRefPart,
  encodePath,
  encodeRefPart,
  escapes,
  hasUnsafeCharacter,
  isObjectId,
  isSafeBranch,
  reachesGitFolder,
  splitZero,
} from "./names.ts";
import { nameOffence } from "./patch-rules.ts";
import { plainGit, temporaryFolder } from "./testing/scratch.ts";

test("a path of any bytes decodes and encodes to the same bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (bytes) => {
      expect(encodePath(decodePath(bytes))).toEqual(Buffer.from(bytes));
    }),
  );
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => decodePath(Buffer.from(text)) === text));
  expect(decodePath(Buffer.from("\ufffd"))).toBe("\ufffd");
});

test("records ended by NUL are split, and an unfinished one is not returned", () => {
  expect(splitZero(Buffer.from("a\0\0b c\0tail")).map(String)).toEqual(["a", "", "b c"]);
});

describe("refs", () => {
  test("any text encodes to a ref part that git accepts, and decodes back", () => {
    const folder = temporaryFolder();
    const parts = fc.sample(fc.string({ unit: "binary", maxLength: 40 }), 200);
    for (const text of parts.filter((text) => text.isWellFormed())) expect(decodeRefPart(encodeRefPart(text))).toBe(text);
    const refs = parts.map((text) => `refs/slipway/${encodeRefPart(text)}/${encodeRefPart(text)}`);
    for (const ref of refs.slice(0, 20)) plainGit(folder, ["check-ref-format", ref]);
    for (const ref of refs) expect(ref).toMatch(/^refs\/slipway\/[A-Za-z0-9_%+-]+\/[A-Za-z0-9_%+-]+$/);
  });

  test("different texts encode differently, also long ones", () => {
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => (a === b) === (encodeRefPart(a) === encodeRefPart(b))));
    const long = "/".repeat(200);
    expect(encodeRefPart(long)).not.toBe(encodeRefPart(`${long}x`));
    expect(encodeRefPart(long).length).toBeLessThan(200);
    expect(encodeRefPart("")).toBe("%");
    expect(decodeRefPart("%")).toBe("");
  });

  test.each(["login", "feature/login", "v1.2", "a_b-c"])("%s is a branch", (name) => expect(isSafeBranch(name)).toBe(true));
  test.each([
    "",
    "-a",
    "a/-b",
    "a//b",
    "/a",
    "a/",
    "a..b",
    "a.",
    "a.lock",
    "a.LOCK",
    "a b",
    "a~",
    "a^",
    "a:",
    "a?",
    "a*",
    "a[",
    "a\\",
    "@",
    "HEAD",
    "ä",
    "x".repeat(201),
  ])("%j is not a branch", (name) => expect(isSafeBranch(name)).toBe(false));
  test("an object id is 40 or 64 hexadecimal digits", () => {
    expect(["1".repeat(40), "a".repeat(64), "1".repeat(41), "A".repeat(40), "HEAD"].map(isObjectId)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

describe("file names", () => {
  test.each([".git", ".GIT", "a/.git/b", "git~1", "GIT~12", ".git ", ".git...", ".git:stream", ".g\u200cit", "a\\.git"])(
    "%j reaches git's folder",
    (path) => expect(reachesGitFolder(path)).toBe(true),
  );
  test.each([".gitignore", ".github/x", "git", "a.git", "agit~1"])("%j does not", (path) => expect(reachesGitFolder(path)).toBe(false));
  test("names that escape, hide or are harmless", () => {
    expect(["/a", "C:x", "a/../b", "./a", "a//b", ""].map(escapes)).toEqual([true, true, true, true, true, true]);
    expect(["a/b", "..a", "a..b", "C"].map(escapes)).toEqual([false, false, false, false]);
    expect(["a\tb", "a\u202eb", "a\u2028b", "a\\b"].map(hasUnsafeCharacter)).toEqual([true, true, true, true]);
    expect(["a b", "日本語", "👍🏽", "é"].map(nameOffence)).toEqual([null, null, null, null]);
  });
});
