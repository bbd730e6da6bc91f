import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { errorCodes } from "./shape.ts";
import { checkSchema, pathOf, pointerOf, type SchemaViolation } from "./violations.ts";

const first = (schema: z.ZodType, value: unknown): SchemaViolation | undefined => {
  const result = checkSchema(schema, value);
  return result.ok ? undefined : result.violations[0];
};

test.each<[z.ZodType, unknown, string, string, string]>([
  [z.string(), 3, "type", "a string", "expected a string, found 3"],
  [z.number(), "x", "type", "a number", 'expected a number, found "x"'],
  [z.int(), 1.5, "type", "a whole number", "expected a whole number, found 1.5"],
  [z.boolean(), null, "type", "true or false", "expected true or false, found nothing (null)"],
  [z.array(z.string()), {}, "type", "a list", "expected a list, found an object"],
  [z.strictObject({}), [], "type", "an object", "expected an object, found an empty list"],
  [z.date(), "x", "type", "date", 'expected date, found "x"'],
  [z.literal(1), 2, "enum", "1", "expected 1, found 2"],
  [z.enum(["a", "b"]), "c", "enum", 'one of "a", "b"', 'expected one of "a", "b", found "c"'],
  [z.string().min(1), "", "minimum", "at least 1 character", 'expected at least 1 character, found ""'],
  [z.array(z.string()).min(2), ["a"], "minimum", "at least 2 entries", "expected at least 2 entries, found a list"],
  [z.number().positive(), 0, "minimum", "more than 0", "expected more than 0, found 0"],
  [z.number().max(1), 2, "maximum", "at most 1", "expected at most 1, found 2"],
  [z.number().lt(1), 1, "maximum", "less than 1", "expected less than 1, found 1"],
  [z.string().regex(/^a$/), "b", "format", "text matching /^a$/", 'expected text matching /^a$/, found "b"'],
  [z.jwt(), "b", "format", "a valid jwt", 'expected a valid jwt, found "b"'],
  [z.union([z.string(), z.array(z.string())]), 1, "form", "one of a string, a list", "expected one of a string, a list, found 1"],
  [
    z.number().multipleOf(2),
    3,
    "not_multiple_of",
    "Invalid number: must be a multiple of 2",
    "expected Invalid number: must be a multiple of 2, found 3",
  ],
  [z.string().refine(() => false, { error: "must rhyme" }), "x", "rule", "must rhyme", "must rhyme"],
  [z.string(), "x".repeat(100).replace("x", "y") && 1n, "type", "a string", "expected a string, found 1"],
])("%# %o", (schema, value, rule, expected, message) => {
  expect(first(schema, value)).toEqual({ pointer: "", rule, expected, message });
});

test("a long value is shown by its beginning", () => {
  expect(first(z.number(), "x".repeat(500))?.message).toBe(`expected a number, found "${"x".repeat(59)}…`);
});

test("when a whole object is missing, each required field in it is reported", () => {
  const schema = z.strictObject({
    a: z.strictObject({ b: z.string(), c: z.strictObject({ d: z.int(), e: z.int().default(1) }), f: z.string().optional() }),
    g: z.strictObject({ h: z.string().optional() }),
  });
  const result = checkSchema(schema, {});
  expect(result.ok ? [] : result.violations.map(({ pointer, rule }) => [pointer, rule])).toEqual([
    ["/a/b", "required"],
    ["/a/c/d", "required"],
    ["/g", "required"],
  ]);
});

test("a registered schema brings its own code, through whatever is wrapped around it, but not for a wrong type or a missing value", () => {
  const special = z.enum(["nx"]).register(errorCodes, { code: "invalid_workspace_implementation" });
  const key = z.string().max(3).register(errorCodes, { code: "path_out_of_bounds" });
  const schema = z.strictObject({
    plain: special,
    list: z.array(special.nullable().optional()).default([]),
    record: z
      .record(key, special)
      .prefault({})
      .transform((value) => value),
  });
  const codes = (value: unknown) => {
    const result = checkSchema(schema, value);
    return result.ok ? [] : result.violations.map(({ pointer, code }) => [pointer, code]);
  };
  expect(codes({ plain: "ny", list: ["nx", "no"], record: { nx: "no", never: "nx" } })).toEqual([
    ["/plain", "invalid_workspace_implementation"],
    ["/list/1", "invalid_workspace_implementation"],
    ["/record/nx", "invalid_workspace_implementation"],
    ["/record/never", "path_out_of_bounds"],
  ]);
  expect(codes({})).toEqual([["/plain", undefined]]);
});

test("an unknown field where nothing is known has no hint", () => {
  expect(first(z.strictObject({}), { a: 1 })).toMatchObject({ pointer: "/a", expected: "no such field", message: 'unknown field "a"' });
  expect(first(z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.string() })]), { c: 1 })?.rule).toBe("form");
  expect(first(z.tuple([z.strictObject({ a: z.int() })]), [{ a: 1, b: 2 }])).toMatchObject({
    pointer: "/0/b",
    message: 'unknown field "b"',
  });
});

test("pointers and paths are each other's inverse", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (path) => {
      expect(pathOf(pointerOf(path))).toEqual(path);
    }),
  );
  expect(pointerOf(["a/b", "m~n", 0])).toBe("/a~1b/m~0n/0");
});

test("[FEA-020] every violation is listed at every depth, each with pointer, rule, expectation and a sentence", () => {
  const schema = z.strictObject({ a: z.string().min(3), b: z.strictObject({ c: z.array(z.int()) }), d: z.enum(["x"]), e: z.int() });
  const checked = checkSchema(schema, { a: "x", b: { c: [1, "2", 3.5], extra: 1 }, d: "y", more: true });
  const violations = checked.ok ? [] : checked.violations;
  expect(violations.map(({ pointer }) => pointer).toSorted()).toEqual(["/a", "/b/c/1", "/b/c/2", "/b/extra", "/d", "/e", "/more"]);
  for (const { rule, expected, message } of violations) expect([rule, expected, message].every((text) => text !== "")).toBe(true);
});

describe("unions", () => {
  const told = z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("A"), x: z.string() }),
    z.strictObject({ type: z.literal("B") }),
  ]);
  const forms = z.fromJSONSchema(z.toJSONSchema(told));
  const messages = (schema: z.ZodType, value: unknown) => {
    const checked = checkSchema(schema, value);
    return checked.ok ? [] : checked.violations.map(({ pointer, message }) => `${pointer} ${message}`);
  };

  test("an unknown kind is named beside the known ones", () => {
    expect(messages(told, { type: "C" })).toEqual(['/type expected one of "A", "B", found "C"']);
  });

  test("the form whose fixed values fit is the one that was meant", () => {
    expect(messages(forms, { type: "A" })).toEqual(["/x missing; expected a string"]);
    expect(messages(told, { type: "A", x: 1 })).toEqual(["/x expected a string, found 1"]);
  });
});
