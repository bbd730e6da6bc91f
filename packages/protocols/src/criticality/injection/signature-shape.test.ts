import { describe, expect, test } from "vitest";
import { shapeOf } from "./signature-shape.ts";

describe("what makes a signature hard", () => {
  test.each([
    ["export function now(): number", { genericParams: 0, lifetimeParams: 0, unionMembers: 0, nestedTypeDepth: 0, paramCount: 0 }],
    ["function add(a: number, b: number): number", { paramCount: 2, genericParams: 0 }],
    ["function pick<K, V extends Map<K, number>>(map: Map<K, V>, key: K): V | null", { genericParams: 2, paramCount: 2, unionMembers: 1 }],
    ["function each(items: string[], visit: (item: string, index: number) => void): void", { paramCount: 2, genericParams: 0 }],
    ["fn longest<'a, 'b, T>(left: &'a T, right: &'b T) -> Option<Vec<T>>", { lifetimeParams: 2, genericParams: 1, paramCount: 2 }],
    ["function deep(value: Map<string, Map<string, Set<number>>>): void", { nestedTypeDepth: 3, paramCount: 1 }],
    ["def total(items: list[int]) -> int", { paramCount: 1, nestedTypeDepth: 1 }],
  ])("%s", (signature, shape) => {
    expect(shapeOf(signature)).toMatchObject(shape);
  });

  test("text without parentheses has no parameters", () => {
    expect(shapeOf("const x = 1")).toEqual({ genericParams: 0, lifetimeParams: 0, unionMembers: 0, nestedTypeDepth: 0, paramCount: 0 });
  });

  test("brackets that do not close count as no parameters, and end", () => {
    expect(shapeOf("function open(a: number, b").paramCount).toBe(0);
  });
});
