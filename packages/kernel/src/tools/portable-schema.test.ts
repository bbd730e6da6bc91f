import { expect, test } from "vitest";
import { z } from "zod";
import { portable } from "./portable-schema.ts";
import { checkFor, jsonSchemaOf } from "./schemas.ts";

test("a list of types becomes alternatives, with the rules on the one they are about", () => {
  expect(portable({ description: "a name", type: ["string", "null"] as never, minLength: 2 })).toEqual({
    description: "a name",
    anyOf: [{ type: "string", minLength: 2 }, { type: "null" }],
  });
});

test("a bare no or yes and an empty openness become what every client reads", () => {
  expect(
    portable({
      type: "object",
      properties: {
        gone: false,
        open: { type: "object", additionalProperties: {} },
        pair: { type: "array", prefixItems: [{ type: "string" }], items: false },
      },
      additionalProperties: { type: ["integer", "null"] as never },
    }),
  ).toEqual({
    type: "object",
    properties: {
      gone: { not: {} },
      open: { type: "object", additionalProperties: true },
      pair: { type: "array", prefixItems: [{ type: "string" }], items: { not: {} } },
    },
    additionalProperties: { anyOf: [{ type: "integer" }, { type: "null" }] },
  });
  expect(portable({ allOf: [true as never], additionalProperties: false })).toEqual({ allOf: [{}], additionalProperties: false });
});

test("bounds that every whole number is within are left out, others stay", () => {
  expect(jsonSchemaOf(z.strictObject({ any: z.int(), some: z.int().min(1).max(5) }), "input").properties).toEqual({
    any: { type: "integer" },
    some: { type: "integer", minimum: 1, maximum: 5 },
  });
});

test("the output of a transform has the schema of its input", () => {
  const name = z
    .string()
    .min(1)
    .transform((text) => text.trim());
  expect(jsonSchemaOf(z.strictObject({ name }), "output").properties).toEqual({ name: { type: "string", minLength: 1 } });
});

test("alternatives at the root stay strict about unknown fields", () => {
  const check = checkFor({
    type: "object",
    anyOf: [{ type: "object", properties: { a: { type: "string" } }, additionalProperties: false }],
  });
  expect(check.safeParse({ a: "x" }).success).toBe(true);
  expect(check.safeParse({ a: "x", b: 1 }).success).toBe(false);
});
