import { planSchema } from "@slipway/kernel/change/plan/schema";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { nativeSchema } from "./answer-schema.ts";
import type { Endpoint, EndpointKind } from "./endpoints.ts";

const at = (kind: EndpointKind, schemas = true): Endpoint => ({ name: kind, kind, baseUrl: "http://127.0.0.1/v1", keyEnv: null, schemas });
const json = (schema: z.ZodType) => z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Record<string, unknown>;

const CLOSED = json(z.strictObject({ verdict: z.enum(["yes", "no"]), count: z.int().min(0), tags: z.array(z.string().min(1)).max(3) }));
const OPTIONAL = json(z.strictObject({ verdict: z.string(), reason: z.string().optional() }));
const OPEN = json(z.object({ scores: z.record(z.string(), z.number()) }));
const UNION = json(
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("NOTE"), text: z.string() }),
    z.strictObject({ type: z.literal("PATCH"), pattern: z.string() }),
  ]),
);
const RECURSION: z.ZodType = z.lazy(() => z.strictObject({ value: z.string(), next: RECURSION.nullable() }));
const RECURSIVE = json(z.strictObject({ first: RECURSION }));

describe("the schema of an answer for the endpoint's structured output", () => {
  test("leaves keywords that endpoints disagree on to Slipway's own check", () => {
    expect(nativeSchema(at("openai"), CLOSED, true)).toMatchObject({
      strict: true,
      schema: {
        type: "object",
        properties: {
          verdict: { type: "string", enum: ["yes", "no"] },
          count: { type: "integer" },
          tags: { type: "array", items: { type: "string" } },
        },
        required: ["verdict", "count", "tags"],
        additionalProperties: false,
      },
    });
    expect(JSON.stringify(nativeSchema(at("openai"), CLOSED, true)?.schema)).not.toMatch(/min|max|\$schema/);
  });

  test("is strict only if every field is required", () => {
    expect(nativeSchema(at("openai"), OPTIONAL, true)?.strict).toBe(false);
    expect(nativeSchema(at("openai"), OPEN, true)?.strict).toBe(false);
  });

  test("wraps a union in one object and unwraps the answer", () => {
    const native = nativeSchema(at("anthropic"), UNION, true);
    expect(native?.schema).toMatchObject({
      type: "object",
      required: ["answer"],
      properties: { answer: { anyOf: [{}, { properties: { pattern: { type: "string" } } }] } },
    });
    expect(native?.unwrap('{"answer":{"type":"NOTE","text":"x"}}')).toBe('{"type":"NOTE","text":"x"}');
  });

  test.each(["no JSON", "null", '{"type":"NOTE"}', '{"answer":1,"more":2}', '{"answer":1,"answer":2}'])("leaves %s unchanged", (text) => {
    expect(nativeSchema(at("anthropic"), UNION, true)?.unwrap(text)).toBe(text);
    expect(nativeSchema(at("anthropic"), CLOSED, true)?.unwrap(text)).toBe(text);
  });

  test("is not used with Anthropic if it would be refused or lose something", () => {
    const many = json(z.strictObject(Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`f${i}`, z.string().optional()]))));
    for (const schema of [OPEN, RECURSIVE, many, json(z.strictObject({ anything: z.unknown() }))]) {
      expect(nativeSchema(at("anthropic"), schema, false)).toBe(null);
    }
    expect(nativeSchema(at("anthropic"), OPTIONAL, false)).not.toBe(null);
    expect(nativeSchema(at("google"), json(z.union([RECURSION, z.string()])), false)).toBe(null);
  });

  test("is sent to other servers only without tools, and only to those known to accept it", () => {
    expect(nativeSchema(at("openai-compatible"), CLOSED, true)).toBe(null);
    expect(nativeSchema(at("openai-compatible", false), CLOSED, false)).toBe(null);
    expect(nativeSchema(at("openai-compatible"), CLOSED, false)).not.toBe(null);
  });

  test("a plan's schema has a form for every kind of endpoint", () => {
    for (const kind of ["openai", "google", "openai-compatible"] as const)
      expect(nativeSchema(at(kind), json(planSchema), false)).not.toBe(null);
  });
});
