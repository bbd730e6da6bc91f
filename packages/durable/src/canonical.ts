import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import { SlipwayError } from "./errors.ts";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** RFC 8785 text. Refuses what JSON cannot carry, instead of silently dropping it. */
export function canonicalJson(value: unknown): string {
  assertJson(value, "$");
  const text = canonicalize(value);
  if (text === undefined) throw new SlipwayError("payload_not_json", "The value is not JSON.");
  return text;
}

export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value));
}

function assertJson(value: unknown, path: string): void {
  if (value === null || typeof value === "boolean" || typeof value === "string") return;
  if (typeof value === "number") {
    if (Number.isFinite(value)) return;
    throw notJson(path, String(value));
  }
  if (Array.isArray(value)) {
    value.forEach((item, index) => assertJson(item, `${path}[${index}]`));
    return;
  }
  if (typeof value === "object" && isPlain(value)) {
    // A property that is undefined is left out, as JSON.stringify does.
    for (const [key, item] of Object.entries(value)) if (item !== undefined) assertJson(item, `${path}.${key}`);
    return;
  }
  throw notJson(path, typeof value);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function notJson(path: string, found: string): SlipwayError {
  return new SlipwayError("payload_not_json", `The value at ${path} is not JSON (${found}).`, { path });
}
