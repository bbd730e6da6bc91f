import { expect, test } from "vitest";
import { z } from "zod";
import { violationsOf, type Violation } from "./violations.ts";

function violations(schema: z.ZodType, value: unknown): Violation[] {
  const parsed = schema.safeParse(value);
  return parsed.success ? [] : violationsOf(parsed.error);
}

const cases: [name: string, schema: z.ZodType, value: unknown, pointer: string, rule: string, expected: string][] = [
  ["a wrong type", z.object({ a: z.string() }), { a: 1 }, "/a", "type", "string"],
  ["a missing field", z.object({ a: z.int() }), {}, "/a", "type", "number"],
  ["the whole value", z.object({}), 3, "", "type", "object"],
  ["a short text", z.object({ a: z.string().min(5) }), { a: "x" }, "/a", "minimum", ">= 5 characters"],
  ["a long list", z.array(z.int()).max(1), [1, 2], "", "maximum", "<= 1 items"],
  ["a low number", z.object({ a: z.number().gt(0) }), { a: 0 }, "/a", "minimum", "> 0"],
  ["a high number", z.object({ a: z.number().lt(1) }), { a: 1 }, "/a", "maximum", "< 1"],
  ["an uneven number", z.number().multipleOf(2), 3, "", "multipleOf", "a multiple of 2"],
  ["a pattern", z.object({ a: z.string().regex(/^[a-z]+$/) }), { a: "A" }, "/a", "format", "/^[a-z]+$/"],
  ["a format", z.object({ a: z.iso.date() }), { a: "today" }, "/a", "format", "date"],
  ["a value outside the list", z.object({ a: z.enum(["x", "y"]) }), { a: "z" }, "/a", "enum", '"x" | "y"'],
  ["an unknown property", z.strictObject({}), { "a/b~c": 1 }, "/a~1b~0c", "additionalProperties", "no such property"],
  ["none of several shapes", z.union([z.string(), z.object({ b: z.int() })]), { b: "x" }, "", "anyOf", "one of the alternatives"],
  ["a property name", z.record(z.string().regex(/^x/), z.int()), { y: 1 }, "/y", "propertyNames", "a valid record entry"],
  ["a map entry", z.map(z.string(), z.int()), new Map([["k", "v"]]), "/k", "type", "number"],
  ["an entry of a map whose key is no name", z.map(z.object({}), z.int()), new Map([[{}, "v"]]), "", "items", "a valid map entry"],
  ["a literal that JSON does not know", z.literal([undefined, 1]), 2, "", "enum", "undefined | 1"],
  ["a rule of our own", z.string().refine(() => false, "must rhyme"), "x", "", "custom", "must rhyme"],
];

test.each(cases)("%s is reported with pointer, rule, expectation and message", (_name, schema, value, pointer, rule, expected) => {
  const all = violations(schema, value);
  const found = all.find((violation) => violation.pointer === pointer && violation.rule === rule);
  expect(all).toContainEqual(found);
  expect(found?.message).toEqual(expect.stringMatching(/\S/));
  expect(found?.expected).toBe(expected);
});

test("[FEA-020] every violation is listed, at every depth", () => {
  const schema = z.strictObject({ a: z.string().min(3), b: z.strictObject({ c: z.array(z.int()) }), d: z.enum(["x"]) });
  const found = violations(schema, { a: "x", b: { c: [1, "2", 3.5], extra: 1 }, d: "y", more: true });
  expect(found.map(({ pointer }) => pointer).toSorted()).toEqual(["/a", "/b/c/1", "/b/c/2", "/b/extra", "/d", "/more"]);
});

test("the alternatives of a union are explained below it", () => {
  const found = violations(z.object({ u: z.union([z.strictObject({ a: z.int() }), z.strictObject({ b: z.int() })]) }), { u: { a: "x" } });
  expect(found.map(({ pointer }) => pointer)).toEqual(expect.arrayContaining(["/u", "/u/a", "/u/b"]));
});

test("what is valid has no violations", () => {
  expect(violations(z.string(), "x")).toEqual([]);
});
