import fc from "fast-check";
import { expect, test } from "vitest";
import { parseStrictJson } from "./json.ts";

test.each([
  ["{}", {}],
  ['{"a":{"a":[{"a":1},{"a":2}]},"b":"a\\":{"}', { a: { a: [{ a: 1 }, { a: 2 }] }, b: 'a":{' }],
  ['{"a":"{\\"a\\":1,\\"a\\":2}"}', { a: '{"a":1,"a":2}' }],
  [' [1, "x", null] ', [1, "x", null]],
  ['"text"', "text"],
  ['"\\ud83d\\ude00 \\\\ud800"', "\u{1f600} \\ud800"],
])("%s is taken", (text, value) => {
  expect(parseStrictJson(text)).toEqual({ ok: true, value });
});

test.each([
  ["", /not valid JSON/],
  ["{a:1}", /not valid JSON/],
  ["{} {}", /not valid JSON/],
  ["[1,]", /not valid JSON/],
  ["NaN", /not valid JSON/],
  ['{"a":1,"a":1}', /the key "a" is given twice/],
  ['{"x":[{"b":1,"\\u0062":2}]}', /the key "b" is given twice/],
  ['{"a":{"b":1},"c":2,"a":3}', /the key "a" is given twice/],
  ['{"__proto__":{"x":1}}', /"__proto__" is not allowed/],
  ['{"a":{"__pro\\u0074o__":1}}', /"__proto__" is not allowed/],
  ['{"a":"\\ud800"}', /not valid Unicode/],
  ['{"\\udc00":1}', /not valid Unicode/],
  ['"\ud800"', /not valid Unicode/],
  ['{"constructor":1}', /"constructor" is not allowed/],
  [`${"[".repeat(201)}${"]".repeat(201)}`, /nested deeper than 200/],
])("%s is refused", (text, problem) => {
  const result = parseStrictJson(text);
  expect(result.ok ? "" : result.problem).toMatch(problem);
});

test("every JSON value without such keys comes back as it was written", () => {
  const unsafe = ["__proto__", "constructor", "prototype"];
  const value = fc.jsonValue().filter((candidate) => !unsafe.some((key) => JSON.stringify(candidate).includes(key)));
  fc.assert(
    fc.property(value, fc.boolean(), (original, pretty) => {
      const text = JSON.stringify(original, null, pretty ? 2 : 0);
      expect(parseStrictJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
    }),
    { numRuns: 500 },
  );
});

test("a repeated key is found wherever it is", () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue(), fc.array(fc.constantFrom("[", "o"), { maxLength: 5 }), (key, inner, wrapping) => {
      fc.pre(!["__proto__", "constructor", "prototype"].includes(key) && !JSON.stringify(inner).includes("__proto__"));
      const twice = `{${JSON.stringify(key)}:${JSON.stringify(inner)},${JSON.stringify(key)}:1}`;
      const text = wrapping.reduce((wrapped, kind) => (kind === "[" ? `[0,${wrapped}]` : `{"w":${wrapped},"z":{}}`), twice);
      expect(parseStrictJson(text).ok).toBe(false);
    }),
  );
});

test("a large answer is read", () => {
  const text = JSON.stringify({ patch: '\\"'.repeat(500_000), list: Array.from({ length: 50_000 }, (_, index) => ({ index })) });
  expect(parseStrictJson(text).ok).toBe(true);
});
