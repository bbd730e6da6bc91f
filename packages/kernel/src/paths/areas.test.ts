import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, test } from "vitest";
import { areaMatcher, canonicalArea, globProblem, strictAreaMatcher } from "./areas.ts";

const covered = (area: string, path: string, matching: "repo_prefix" | "glob") => areaMatcher([area], matching)(path) === area;

describe("[FEA-052] areas", () => {
  test.each([
    ["src/api", "src/api", true],
    ["src/api", "src/api/x.ts", true],
    ["src/api", "src/api/deep/x.ts", true],
    ["src/api", "src/api2/x.ts", false],
    ["src/api", "src/ap", false],
    ["src/api", "src", false],
    ["src/api", "lib/src/api/x.ts", false],
    ["src/*", "src/a.ts", false],
    [".", "anything/at/all", true],
  ])("by prefix, %s and %s: %s", (area, path, expected) => {
    expect(covered(area, path, "repo_prefix")).toBe(expected);
  });

  test.each([
    ["src/api", "src/api", true],
    ["src/api", "src/api/x.ts", false],
    ["src/**", "src", true],
    ["src/**", "src/a/b.ts", true],
    ["src/**", "src2/a.ts", false],
    ["src/*", "src/a.ts", true],
    ["src/*", "src/a/b.ts", false],
    ["src/*.ts", "src/.hidden.ts", true],
    ["**/*.ts", "a.ts", true],
    ["**/*.ts", "a/b/c.ts", true],
    ["**/*.ts", "a/b/c.js", false],
    ["**", "a/b", true],
    ["a/**/b/**/c", "a/x/y/b/c", true],
    ["a/**/b/**/c", "a/x/y/c", false],
    ["src/?.ts", "src/a.ts", true],
    ["src/?.ts", "src/ab.ts", false],
    ["src/[ab].ts", "src/b.ts", true],
    ["src/[ab].ts", "src/c.ts", false],
    ["src/{a,b}.ts", "src/b.ts", true],
    ["src/{a,b}.ts", "src/c.ts", false],
    ["app/(shop)/*", "app/(shop)/page.tsx", true],
    ["app/(shop)/*", "app/shop/page.tsx", false],
    ["a|b", "a", false],
    ["!src/a.ts", "src/b.ts", false],
    [".", "anything", true],
  ])("as a glob, %s and %s: %s", (area, path, expected) => {
    expect(covered(area, path, "glob")).toBe(expected);
  });
});

test("the first area that covers the path is named", () => {
  expect(areaMatcher(["lib", "src", "src/api"], "repo_prefix")("src/api/x")).toBe("src");
  expect(areaMatcher([], "repo_prefix")("src")).toBeNull();
});

test("rules that forbid also cover other spellings of the same file", () => {
  expect(strictAreaMatcher(["src/Secret"], "repo_prefix")("SRC/secret/x")).toBe("src/Secret");
  expect(strictAreaMatcher(["**/Jenkinsfile"], "glob")("ci/jenkinsFILE")).toBe("**/Jenkinsfile");
  expect(strictAreaMatcher(["caf\u00e9"], "repo_prefix")("cafe\u0301/x")).toBe("caf\u00e9");
  expect(areaMatcher(["src/Secret"], "repo_prefix")("src/secret/x")).toBeNull();
});

test.each([
  ["src/+(a|b)", /extended glob/],
  ["src/!(a)", /extended glob/],
  ["a*b*c*d*e", /more than 3 stars/],
  ["src/a**", /stands alone/],
  ["src/{a,b/c}", /braces/],
  ["src/{a,{b,c}}", /braces/],
  ["{a,b}{c,d}", /braces/],
  ["src/}", /braces/],
  ["src/[ab", /unclosed bracket/],
  ["x".repeat(257), /longer than 256/],
])("the pattern %s is refused", (glob, problem) => {
  expect(globProblem(glob)).toMatch(problem);
  expect(() => areaMatcher([glob], "glob")).toThrowError(expect.objectContaining({ code: "policy_violation" }));
});

test("an area is a path, except for the whole repository", () => {
  expect(canonicalArea("./")).toEqual({ ok: true, path: "." });
  expect(canonicalArea(".")).toEqual({ ok: true, path: "." });
  expect(canonicalArea("./src/")).toEqual({ ok: true, path: "src" });
  expect(canonicalArea("").ok).toBe(false);
  expect(canonicalArea("/").ok).toBe(false);
  expect(canonicalArea("..").ok).toBe(false);
});

const name = fc.string({ unit: fc.constantFrom("a", "b", "."), minLength: 1, maxLength: 3 }).filter((text) => !/^\.+$/.test(text));
const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((segments) => segments.join("/"));

test("by prefix, an area covers itself and everything below, and nothing that only starts alike", () => {
  fc.assert(
    fc.property(path, path, name, (area, below, suffix) => {
      expect(covered(area, area, "repo_prefix")).toBe(true);
      expect(covered(area, `${area}/${below}`, "repo_prefix")).toBe(true);
      expect(covered(area, `${area}${suffix}/${below}`, "repo_prefix")).toBe(false);
      expect(covered(`${area}/${below}`, area, "repo_prefix")).toBe(false);
    }),
  );
});

/** The definition, written without regard for its cost. */
function matches([first, ...rest]: readonly string[], segments: readonly string[]): boolean {
  if (first === undefined) return segments.length === 0;
  if (first === "**") return matches(rest, segments) || (segments.length > 0 && matches([first, ...rest], segments.slice(1)));
  const [head, ...tail] = segments;
  return head !== undefined && picomatch(first, { dot: true })(head) && matches(rest, tail);
}

test("as globs, the answer is the definition's", () => {
  const part = fc.oneof(name, fc.constantFrom("*", "**", "a*", "?", "[ab]", "{a,b}"));
  const glob = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
  fc.assert(
    fc.property(glob, path, (pattern, candidate) => {
      expect(covered(pattern, candidate, "glob")).toBe(matches(pattern.split("/"), candidate.split("/")));
    }),
    { numRuns: 2000 },
  );
});

test("the worst pattern against the worst path is decided at once", () => {
  const glob = `${"**/".repeat(60)}${"a*".repeat(3)}b/x`;
  const deep = Array.from({ length: 500 }, () => "a").join("/");
  // Backtracking would not come to an end within the test's time.
  expect(covered(glob, deep, "glob")).toBe(false);
  expect(covered("a*a*a*b", "a".repeat(255), "glob")).toBe(false);
});
