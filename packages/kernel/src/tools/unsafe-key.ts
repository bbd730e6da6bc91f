import { UNSAFE_KEYS } from "../schema/json.ts";
import { pointerOf, type SchemaViolation } from "../schema/violations.ts";

const MAX_DEPTH = 200;

/** Text is read strictly where it arrives; this is for values that were parsed elsewhere. */
export function unsafeKeyIn(value: unknown, path: readonly string[] = []): SchemaViolation | null {
  if (typeof value !== "object" || value === null) return null;
  if (path.length > MAX_DEPTH) return broken(path, "depth", `at most ${MAX_DEPTH} levels`, "nested too deeply");
  for (const key of Object.keys(value)) {
    const inner = [...path, key];
    if (UNSAFE_KEYS.has(key)) return broken(inner, "unsafe_key", "another name", `the key ${JSON.stringify(key)} is not allowed`);
    const found = unsafeKeyIn((value as Record<string, unknown>)[key], inner);
    if (found !== null) return found;
  }
  return null;
}

function broken(path: readonly string[], rule: string, expected: string, message: string): SchemaViolation {
  return { pointer: pointerOf(path), rule, expected, message };
}
