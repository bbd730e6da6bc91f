import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parseOutput } from "./output.ts";

const schema = z.strictObject({ type: z.literal("PATCH"), diff: z.string().min(1), notes: z.array(z.string()).optional() });
const VALUE = { type: "PATCH", diff: "--- a\n+++ b\n```\n" };
const JSON_TEXT = JSON.stringify(VALUE);
const errors = (text: string) => {
  const result = parseOutput(text, schema);
  return result.ok ? [] : result.errors;
};

test.each([
  ["alone", JSON_TEXT],
  ["with space around it", `\n  ${JSON_TEXT}  \n`],
  ["over several lines", JSON.stringify(VALUE, null, 2)],
  ["in a json block", `\`\`\`json\n${JSON_TEXT}\n\`\`\``],
  ["in a plain block, between text", `Here it is:\n\`\`\`\n${JSON.stringify(VALUE, null, 2)}\n\`\`\`\nDone.`],
  ["in a block with Windows line ends", `\`\`\`JSON \r\n${JSON_TEXT}\r\n\`\`\`\r\n`],
])("JSON %s is read", (_, text) => {
  expect(parseOutput(text, schema)).toEqual({ ok: true, output: VALUE });
});

describe("refused", () => {
  test.each([
    ["nothing", "  ", /^The answer is empty/],
    ["words", "I cannot do that.", /refused: not valid JSON/],
    ["JSON inside text", `Sure! ${JSON_TEXT}`, /refused: not valid JSON/],
    ["two values", `${JSON_TEXT}\n${JSON_TEXT}`, /refused: not valid JSON/],
    ["two blocks", `\`\`\`json\n${JSON_TEXT}\n\`\`\`\n\`\`\`json\n${JSON_TEXT}\n\`\`\``, /2 code blocks/],
    ["an unclosed block", `\`\`\`json\n${JSON_TEXT}`, /refused: not valid JSON/],
    ["a broken block", "```json\n{\n```", /refused: not valid JSON/],
    ["a comment", `{"type":"PATCH" /* x */,"diff":"d"}`, /refused: not valid JSON/],
    ["a key twice", '{"type":"PATCH","diff":"harmless","diff":"harmful"}', /"diff" is given twice/],
    ["__proto__", '{"type":"PATCH","diff":"d","__proto__":{"admin":true}}', /"__proto__" is not allowed/],
    ["too much", `"${"x".repeat(8 * 1024 * 1024)}"`, /at most 8388608 are read/],
  ])("%s", (_, text, expected) => {
    expect(errors(text)).toMatchObject([expect.stringMatching(expected)]);
  });

  test("every violation of the schema is listed exactly", () => {
    expect(errors('{"type":"NOTE","notes":["a",2],"dif":"x"}')).toEqual([
      '/type: expected "PATCH", found "NOTE"',
      "/diff: missing; expected a string",
      "/notes/1: expected a string, found 2",
      '/dif: unknown field "dif"; did you mean "diff"?',
    ]);
    expect(errors("[]")).toEqual(["The value: expected an object, found an empty list"]);
  });

  test("a long list of violations is cut", () => {
    const many = errors(JSON.stringify({ type: "PATCH", diff: "d", notes: Array.from({ length: 60 }, () => 1) }));
    expect(many).toHaveLength(51);
    expect(many.at(-1)).toBe("… and 10 more");
  });
});

test("any text of an agent gives a valid value or reasons", () => {
  const fragment = fc.oneof(
    fc.constantFrom(JSON_TEXT, "```json\n", "\n```", "{", "}", '"diff":', ",", '"__proto__":1'),
    fc.string(),
    fc.json(),
  );
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 6 }), (fragments) => {
      const result = parseOutput(fragments.join(""), schema);
      if (result.ok) expect(schema.safeParse(result.output).success).toBe(true);
      else expect(result.errors.length).toBeGreaterThan(0);
    }),
    { numRuns: 1000 },
  );
  expect(({} as Record<string, unknown>)["admin"]).toBeUndefined();
});
