import canonicalize from "canonicalize";
import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, digestOf, isJson, sha256 } from "./canonical.ts";

test("the text parses to the same value and does not depend on the order of members", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      if (!isJson(value)) return;
      const text = canonicalJson(value);
      expect(text).toBe(canonicalize(value));
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(JSON.parse(text))).toBe(text);
    }),
  );
  expect(canonicalJson({ b: [1, { d: null, c: "ä\n" }], a: 1e21, gone: undefined })).toBe('{"a":1e+21,"b":[1,{"c":"ä\\n","d":null}]}');
  expect(digestOf({ b: 1, a: 2 })).toBe(sha256('{"a":2,"b":1}'));
});

const circular: Record<string, unknown> = {};
circular["self"] = circular;

test.each([
  ["undefined", undefined, "$"],
  ["undefined in a list", [1, undefined], "$[1]"],
  // oxlint-disable-next-line no-sparse-arrays
  ["a hole in a list", [1, , 2], "$[1]"],
  ["infinity", { a: { b: Infinity } }, "$.a.b"],
  ["a big integer", { n: 1n }, "$.n"],
  ["a function", { f: () => 1 }, "$.f"],
  ["a date", { at: new Date(0) }, "$.at"],
  ["a map", new Map(), "$"],
  ["half a surrogate pair", ["\udc00"], "$[0]"],
  ["half a surrogate pair as a name", { o: { "\udc00": 1 } }, "$.o"],
  ["itself", circular, "$.self"],
])("%s is refused with its path", (_what, value, path) => {
  expect(() => canonicalJson(value)).toThrowError(
    expect.objectContaining({ code: "payload_not_json", message: expect.stringContaining(path) as unknown }),
  );
  expect(isJson(value)).toBe(false);
});

test("objects without a prototype are accepted, and bytes are hashed unchanged", () => {
  expect(canonicalJson(Object.assign(Object.create(null) as object, { a: true }))).toBe('{"a":true}');
  expect(sha256(new TextEncoder().encode("abc"))).toBe(sha256("abc"));
});
