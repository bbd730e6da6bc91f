import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { siblingSlugs, slugOf } from "./slug.ts";

describe("[FAC-048] a slug", () => {
  test.each([
    ["User Authentication", "user-authentication"],
    ["API v2.0 Integration", "api-v2-0-integration"],
    ["Setup DB & Cache Layer", "setup-db-cache-layer"],
    ["  Leading Spaces  ", "leading-spaces"],
    ["--- a___b ---", "a-b"],
    ["Ünïcode Nämé", "n-code-n-m"],
    ["日本語", ""],
    ["x", "x"],
  ])("of %j is %j", (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });

  test("has letters, digits and single hyphens inside, for any name; slugs stay unchanged", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: "binary", maxLength: 60 })), (name) => {
        const slug = slugOf(name);
        expect(slug).toMatch(/^(?:[a-z0-9]+(?:-[a-z0-9]+)*)?$/);
        expect(slugOf(slug)).toBe(slug);
      }),
    );
  });
});

describe("[FAC-049] a slug", () => {
  test("of 64 characters is not shortened", () => {
    expect(slugOf("a".repeat(64))).toBe("a".repeat(64));
    expect(slugOf(`${"a".repeat(63)}   `)).toBe("a".repeat(63));
  });

  test.each([65, 70, 5000])("of %i characters keeps 56 and gets 7 of its digest", (length) => {
    const whole = "ab-".repeat(length).slice(0, length).replace(/-$/, "c");
    const hash = createHash("sha256").update(whole).digest("hex").slice(0, 7);
    expect(slugOf(whole.toUpperCase())).toBe(`${whole.slice(0, 56)}-${hash}`);
    expect(slugOf(whole)).toHaveLength(64);
  });

  test("distinguishes long names with the same beginning", () => {
    expect(slugOf(`${"x".repeat(80)}1`)).not.toBe(slugOf(`${"x".repeat(80)}2`));
  });
});

describe("[FAC-051] siblings", () => {
  test.each([
    [
      ["login", "login", "login"],
      ["login", "login-2", "login-3"],
    ],
    [
      ["login", "login", "login-2"],
      ["login", "login-3", "login-2"],
    ],
    [
      ["login-2", "login", "login"],
      ["login-2", "login", "login-3"],
    ],
    [
      ["a", "b", "a", "b", "a"],
      ["a", "b", "a-2", "b-2", "a-3"],
    ],
    [
      ["a-2", "a-2", "a", "a"],
      ["a-2", "a-2-2", "a", "a-3"],
    ],
  ])("%j become %j", (slugs, expected) => {
    expect(siblingSlugs(slugs)).toEqual(expected);
  });

  test("are always distinct, and the first of equal ones keeps its slug", () => {
    const slug = fc.constantFrom("a", "b", "a-2", "a-3", "b-2", "a-2-2");
    fc.assert(
      fc.property(fc.array(slug, { maxLength: 12 }), (slugs) => {
        const result = siblingSlugs(slugs);
        expect(new Set(result).size).toBe(slugs.length);
        slugs.forEach((own, index) => {
          if (slugs.indexOf(own) === index) expect(result[index]).toBe(own);
          else expect(result[index]).toMatch(new RegExp(`^${own}-\\d+$`));
        });
      }),
    );
  });

  test("skip slugs that are already used", () => {
    expect(siblingSlugs(["a", "a"], new Set(["a", "a-2"]))).toEqual(["a-3", "a-4"]);
  });
});
