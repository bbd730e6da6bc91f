import { hash } from "node:crypto";
import { SlipwayError } from "./errors.ts";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** RFC 8785 text. Refuses values that JSON cannot represent, instead of silently dropping them. */
export function canonicalJson(value: unknown): string {
  const text = textOf(value, 0);
  if (text === null) assertJson(value, "$", 0);
  return text ?? "null";
}

/** Hot path: serialises and checks in one pass. Null if the value is not JSON; `assertJson` then finds the path. */
function textOf(value: unknown, depth: number): string | null {
  if (value === null) return "null";
  if (typeof value === "string") return value.isWellFormed() ? JSON.stringify(value) : null;
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : null;
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value !== "object" || depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return listText(value, depth);
  return isPlain(value) ? objectText(value as Record<string, unknown>, depth) : null;
}

function listText(list: readonly unknown[], depth: number): string | null {
  let text = "[";
  for (let index = 0; index < list.length; index++) {
    const item = textOf(list[index], depth + 1);
    if (item === null) return null;
    text += index === 0 ? item : `,${item}`;
  }
  return `${text}]`;
}

/** RFC 8785 orders members by the UTF-16 units of their names, as JavaScript compares strings. */
function objectText(members: Readonly<Record<string, unknown>>, depth: number): string | null {
  let text = "";
  for (const name of Object.keys(members).toSorted()) {
    const value = members[name];
    if (value === undefined) continue;
    const label = labelOf(name);
    const item = label === null ? null : textOf(value, depth + 1);
    if (item === null) return null;
    text += text === "" ? `${label}${item}` : `,${label}${item}`;
  }
  return `{${text}}`;
}

const MOST_LABELS = 4_096;
const LONGEST_LABEL = 64;
/** Cache: there are few member names, and each is serialised many times. */
const labels = new Map<string, string>();

/** A member's name with its colon. */
function labelOf(name: string): string | null {
  const known = labels.get(name);
  if (known !== undefined) return known;
  if (!name.isWellFormed()) return null;
  const label = `${JSON.stringify(name)}:`;
  if (labels.size < MOST_LABELS && name.length <= LONGEST_LABEL) labels.set(name, label);
  return label;
}

export function isJson(value: unknown): boolean {
  try {
    assertJson(value, "$", 0);
    return true;
  } catch {
    return false;
  }
}

export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}

export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value));
}

const MAX_DEPTH = 500;

function assertJson(value: unknown, path: string, depth: number): void {
  if (value === null || typeof value === "boolean") return;
  if (typeof value === "string") return assertText(value, path);
  if (typeof value === "number") {
    if (Number.isFinite(value)) return;
    throw notJson(path, String(value));
  }
  if (depth > MAX_DEPTH) throw notJson(path, `nested deeper than ${MAX_DEPTH} levels, or circular`);
  if (Array.isArray(value)) {
    // Array.from, because forEach skips holes.
    Array.from(value, (item: unknown, index) => assertJson(item, `${path}[${index}]`, depth + 1));
    return;
  }
  if (typeof value === "object" && isPlain(value)) {
    // Undefined properties are omitted, as in JSON.stringify.
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue;
      assertText(key, path);
      assertJson(item, `${path}.${key}`, depth + 1);
    }
    return;
  }
  throw notJson(path, typeof value);
}

/** A lone surrogate has no UTF-8 form and would be read back as a different text. */
function assertText(text: string, path: string): void {
  if (!text.isWellFormed()) throw notJson(path, "text that is not valid Unicode");
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function notJson(path: string, found: string): SlipwayError {
  return new SlipwayError("payload_not_json", `The value at ${path} is not JSON (${found}).`, { path });
}
