import fc from "fast-check";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { assertCanonicalPath, canonicalPath, foldedPath, visible } from "./paths.ts";

describe("one form for every path", () => {
  test.each([
    ["src/a.ts", "src/a.ts"],
    ["./src//a.ts", "src/a.ts"],
    ["src/./a.ts", "src/a.ts"],
    ["src/x/../a.ts", "src/a.ts"],
    ["src/a.ts/", "src/a.ts"],
    ["a", "a"],
    [".github/x", ".github/x"],
    [".gitignore", ".gitignore"],
    ["git/x", "git/x"],
    [".gitx", ".gitx"],
    ["a.git/x", "a.git/x"],
    ["~/x", "~/x"],
    ["...", "..."],
    ["été/ö.ts", "été/ö.ts"],
    ["app/[id]/page.tsx", "app/[id]/page.tsx"],
    ["with space/-x", "with space/-x"],
  ])("%s is %s", (raw, path) => {
    expect(canonicalPath(raw)).toEqual({ ok: true, path });
    expect(assertCanonicalPath(raw)).toBe(path);
  });
});

describe("a path that is refused", () => {
  test.each([
    ["", /names no file/],
    [".", /names no file/],
    ["./", /names no file/],
    ["src/..", /names no file/],
    ["/etc/passwd", /absolute/],
    ["//server/share", /absolute/],
    ["C:/windows", /absolute/],
    ["c:x", /absolute/],
    ["x/../C:", /absolute/],
    ["..", /leaves/],
    ["../x", /leaves/],
    ["src/../../x", /leaves/],
    ["a/b/../../../c/d", /leaves/],
    ["src\\a.ts", /backslash/],
    ["..\\..\\x", /backslash/],
    ["a\0b", /control/],
    ["a\nb", /control/],
    ["a\u001bb", /control/],
    ["a\u007fb", /control/],
    ["a\u0085b", /control/],
    ["a\u202eb", /control/],
    ["a\u2066b", /control/],
    ["a\u200bb", /control/],
    ["\ufeffa", /control/],
    ["a\ud800b", /Unicode/],
    ["x".repeat(1025), /longer than 1024/],
    ["x".repeat(256), /longer than 255/],
    ["é".repeat(128), /longer than 255/],
  ])("%j", (raw, reason) => {
    const result = canonicalPath(raw);
    expect(result.ok ? "" : result.reason).toMatch(reason);
    expect(() => assertCanonicalPath(raw)).toThrowError(expect.objectContaining({ code: "path_out_of_bounds" }));
  });

  test.each([
    ".git",
    ".git/config",
    "a/.git/hooks/pre-commit",
    ".GIT",
    ".Git/x",
    "git~1",
    "GIT~1/x",
    "git~2",
    ".git ",
    ".git.",
    ".git. .",
    ".git::$INDEX_ALLOCATION/x",
    ".g\u200cit/x",
    ".gi\u200dt",
    ".\u206fgit",
  ])("git's own folder as %j", (raw) => {
    const result = canonicalPath(raw);
    expect(result.ok ? "" : result.reason).toMatch(/git's own folder|invisible/);
  });

  test("is shown without what could deceive the reader", () => {
    expect(() => assertCanonicalPath("a\u202e\u0000\u009b")).toThrowError('The path "a\\u202e\\u0000\\u009b" contains a control');
    expect(visible("x".repeat(300))).toBe(`"${"x".repeat(200)}…"`);
  });
});

const segment = fc.oneof(
  fc.constantFrom("..", ".", "", ".git", ".GIT ", "git~1", "src", "a.ts", "~", "C:", "\\", "\0", "\u202e", " ", "..."),
  fc.string({ maxLength: 6, unit: "binary" }),
);
const rawPath = fc.array(segment, { maxLength: 8 }).map((segments) => segments.join("/"));

test("reducing twice changes nothing", () => {
  fc.assert(
    fc.property(rawPath, (raw) => {
      const once = canonicalPath(raw);
      if (once.ok) expect(canonicalPath(once.path)).toEqual(once);
    }),
    { numRuns: 3000 },
  );
});

test("nothing accepted is absolute, leaves the root or reaches .git, wherever the repository is", () => {
  fc.assert(
    fc.property(rawPath, (raw) => {
      const result = canonicalPath(raw);
      if (!result.ok) return;
      const root = "/srv/repository";
      expect(posix.resolve(root, raw)).toBe(`${root}/${result.path}`);
      expect(result.path.split("/").every((part) => part !== ".." && part !== "." && part !== "" && part.toLowerCase() !== ".git")).toBe(
        true,
      );
    }),
    { numRuns: 3000 },
  );
});

test("names that are one file on another file system fold alike", () => {
  for (const [a, b] of [
    ["A", "a"],
    ["SRC/Caf\u00e9", "src/cafe\u0301"],
    ["straße", "STRASSE"],
    ["ſ", "S"],
    ["a\u200bb", "ab"],
  ] as const)
    expect(foldedPath(a)).toBe(foldedPath(b));
  expect(foldedPath("a")).not.toBe(foldedPath("b"));
});
