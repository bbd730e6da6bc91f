import type { CallBatch } from "./measured-calls.ts";

/**
 * Messages between the two processes, as JSON. A value is itself if JSON has it, otherwise a list that begins with its kind: u undefined, n
 * number JSON lacks, b bigint, i intrinsic, w well-known symbol, k registered symbol, y other symbol, o object by its number, h hole of an
 * array.
 */
export type WireValue = string | number | boolean | null | readonly [string, ...unknown[]];

export const KINDS = [
  "object",
  "array",
  "function",
  "error",
  "map",
  "set",
  "date",
  "regexp",
  "buffer",
  "view",
  "promise",
  "boxed",
] as const;
export type Kind = (typeof KINDS)[number];

/** The current state of an object. `made` is only needed by a side that does not have it yet. */
export interface Description {
  readonly id: number;
  readonly kind: Kind;
  readonly made: readonly WireValue[];
  readonly state: BridgeState;
}

/** [prototype, own properties, 0 extensible to 3 frozen, contents] */
export type BridgeState = readonly [prototype: WireValue, properties: readonly Property[], level: number, inside: readonly WireValue[]];

/** [key, value] when enumerable, writable and configurable; otherwise with flags; an accessor has two functions. */
export type Property =
  | readonly [key: WireValue, value: WireValue]
  | readonly [key: WireValue, value: WireValue, flags: number]
  | readonly [key: WireValue, get: WireValue, flags: number, set: WireValue];

export const ENUMERABLE = 1;
export const WRITABLE = 2;
export const CONFIGURABLE = 4;

export interface Packed {
  readonly values: readonly WireValue[];
  readonly objects: readonly Description[];
  /** Settled promises: [number, fulfilled, value]. */
  readonly settled: readonly (readonly [number, boolean, WireValue])[];
}

export type WireRequest =
  | ({ readonly do: "call"; readonly target: number } & Packed)
  | ({ readonly do: "construct"; readonly target: number } & Packed)
  | { readonly do: "load"; readonly path: string }
  /** Objects with higher numbers than these, of the tests and of the module, are no longer shared. */
  | { readonly do: "forget"; readonly tests: number; readonly module: number }
  /** Keeps arguments of size `n` for calls of a function that are measured. */
  | ({ readonly do: "keep"; readonly n: number; readonly target: number } & Packed)
  /** Makes a function of `n` from its text, which uses exports by name: [name, path]. Only tests ask for it. */
  | { readonly do: "compile"; readonly source: string; readonly names: readonly (readonly [string, string])[] }
  | ({ readonly do: "measure" } & CallBatch)
  | ({ readonly do: "turn" } & Packed);

export type WireAnswer = ({ readonly ended: "returned" | "thrown" } & Packed) | { readonly ended: "fault"; readonly message: string };

/** The other process sent an invalid message. */
export class MalformedFrame extends Error {
  override name = "MalformedFrame";
}

/** A value that cannot be sent to the other process. */
export class CannotCross extends Error {
  override name = "CannotCross";
}

/** The process that runs the module has ended. */
export class ModuleGone extends Error {
  override name = "ModuleGone";
}

export function malformed(what: string): never {
  throw new MalformedFrame(`The other process sent ${what}.`);
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function packed(frame: Record<string, unknown>): Packed {
  const { values, objects, settled } = frame;
  if (!Array.isArray(values) || !Array.isArray(objects) || !Array.isArray(settled)) malformed("a frame without its values");
  for (const one of objects) checkDescription(one);
  for (const one of settled) if (!Array.isArray(one) || !Number.isInteger(one[0])) malformed("an unknown end of a promise");
  return { values, objects, settled };
}

function checkDescription(value: unknown): void {
  if (!isRecord(value)) malformed("no object");
  const { id, kind, made, state } = value;
  if (!Number.isSafeInteger(id) || !KINDS.includes(kind as Kind) || !Array.isArray(made)) malformed("no object");
  if (!Array.isArray(state) || !Array.isArray(state[1]) || !Number.isInteger(state[2]) || !Array.isArray(state[3])) malformed("no object");
  if (!state[1].every((property) => Array.isArray(property) && property.length >= 2)) malformed("no property");
}

export type Frame = { readonly request: WireRequest; readonly number: number } | { readonly answer: WireAnswer; readonly number: number };

/** Parses a line from the other process. The line is untrusted: it is a valid frame, or `MalformedFrame`. */
export function readFrame(line: string): Frame {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    malformed("a line that is no JSON");
  }
  if (!isRecord(value) || !Number.isSafeInteger(value["number"])) malformed("a line that is no frame");
  const number = value["number"] as number;
  if (isRecord(value["answer"])) return { number, answer: readAnswer(value["answer"]) };
  if (isRecord(value["request"])) return { number, request: readRequest(value["request"]) };
  return malformed("a line that is no frame");
}

function readAnswer(answer: Record<string, unknown>): WireAnswer {
  const { ended, message } = answer;
  if (ended === "fault") return { ended, message: String(message).slice(0, 2000) };
  if (ended !== "returned" && ended !== "thrown") malformed("an answer of no kind");
  return { ended, ...packed(answer) };
}

function readRequest(request: Record<string, unknown>): WireRequest {
  const { do: what, target, path } = request;
  if (what === "load" && typeof path === "string") return { do: what, path };
  if (what === "turn") return { do: what, ...packed(request) };
  if (what === "forget") return { do: what, tests: countOf(request["tests"]), module: countOf(request["module"]) };
  if (what === "keep") return { do: what, n: countOf(request["n"]), target: -countOf(-(target as number)), ...packed(request) };
  if (what === "compile") return { do: what, source: String(request["source"]), names: namesOf(request["names"]) };
  if (what === "measure") {
    const [n, instances, parts, calls] = ["n", "instances", "parts", "calls"].map((key) => countOf(request[key])) as [
      number,
      number,
      number,
      number,
    ];
    return { do: what, n, instances, parts, calls };
  }
  if ((what !== "call" && what !== "construct") || !Number.isSafeInteger(target)) malformed("a request of no kind");
  return { do: what, target: target as number, ...packed(request) };
}

function countOf(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : malformed("no count");
}

const isPair = (one: unknown) => Array.isArray(one) && one.length === 2 && one.every((part) => typeof part === "string");

function namesOf(value: unknown): [string, string][] {
  return Array.isArray(value) && value.every(isPair) ? (value as [string, string][]) : malformed("no names");
}
