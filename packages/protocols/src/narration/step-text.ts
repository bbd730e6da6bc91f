import { spilledDigest } from "@slipway/durable/payload";
import type { Line } from "./line.ts";
import type { StepKind } from "./step-kind.ts";

/** The text for each star of the pattern. */
type StepTexts<Pattern extends string> = Pattern extends `${string}*${infer Rest}` ? [string, ...StepTexts<Rest>] : [];

/** What a person reads about a kind of step. */
export interface StepText<Result, Pattern extends string> {
  /** The role that an agent plays in it; the last part of the name is the attempt. */
  readonly role?: string;
  /** While it is under way. */
  readonly starts?: string | ((...parts: StepTexts<Pattern>) => string);
  /** When its result is too long for the journal and was stored as a blob; otherwise `starts` with "done". */
  readonly large?: string;
  /** When it has ended; null when there is nothing to say. */
  readonly ends?: (result: Result, ...parts: StepTexts<Pattern>) => StepLine | null;
}

/** `feature` is given where a step is about something else than its stream. */
export type StepLine = Omit<Line, "feature"> & Partial<Pick<Line, "feature">>;

/** One row of a narration. */
export interface NarratedStep {
  readonly role: string | null;
  readonly partsOf: (name: string) => string[] | null;
  readonly starts: (parts: readonly string[]) => string | null;
  readonly large: string | null;
  readonly ends: (result: unknown, parts: readonly string[]) => StepLine | null;
}

export function narrates<Result, Pattern extends string>(
  kind: StepKind<Result, Pattern>,
  { role, starts, large, ends }: StepText<Result, Pattern>,
): NarratedStep {
  return {
    role: role ?? null,
    large: large ?? null,
    partsOf: (name) => kind.partsOf(name),
    starts: (parts) => (typeof starts === "function" ? starts(...(parts as StepTexts<Pattern>)) : (starts ?? null)),
    ends: (result, parts) => ends?.(result as Result, ...(parts as StepTexts<Pattern>)) ?? null,
  };
}

/** What a step under way does; null if the rows do not say. */
export function startedText(rows: readonly NarratedStep[], name: string): string | null {
  const found = rowOf(rows, name);
  return found === null ? null : found.row.starts(found.parts);
}

/** The role at work in a step, and its attempt. */
export function roleAtWork(rows: readonly NarratedStep[], name: string): { readonly role: string; readonly attempt: string | null } | null {
  const found = rowOf(rows, name);
  return found === null || found.row.role === null ? null : { role: found.row.role, attempt: found.parts.at(-1) ?? null };
}

/** What came of a step that has ended, from the payload of its event. */
export function endedLine(rows: readonly NarratedStep[], name: string, payload: string): StepLine | null {
  const found = rowOf(rows, name);
  if (found === null) return null;
  const { row, parts } = found;
  if (spilledDigest(payload) !== null) {
    const started = row.starts(parts);
    const text = row.large ?? (started === null ? null : `${started}: done`);
    return text === null ? null : { text, good: null };
  }
  const { value } = JSON.parse(payload) as { readonly value?: unknown };
  try {
    return row.ends(value, parts);
  } catch (error) {
    if (error instanceof TypeError) return unknownShape(name, value);
    throw error;
  }
}

/** A run of another version may have recorded another shape. A failure is told in any case. */
function unknownShape(name: string, value: unknown): StepLine | null {
  const { ok, failure } = (value ?? {}) as { readonly ok?: boolean; readonly failure?: { readonly message?: string } };
  return ok === false ? { text: `${name} failed: ${failure?.message ?? "no reason given"}`, good: false } : null;
}

function rowOf(rows: readonly NarratedStep[], name: string): { readonly row: NarratedStep; readonly parts: string[] } | null {
  for (const row of rows) {
    const parts = row.partsOf(name);
    if (parts !== null) return { row, parts };
  }
  return null;
}
