import { z } from "zod";
import type { Check } from "../evidence/checks.ts";

/** Kind of the row about a gate run with planted failures. */
export const CANARY = "canary";

const plantSchema = z.object({
  kind: z.enum(["test", "load", "cover"]),
  path: z.string(),
  near: z.string().nullable(),
  framework: z.string().nullable(),
  fate: z.enum(["red", "green", "unseen"]),
  step: z.string().nullable(),
  why: z.string(),
});
export type PlantRecord = z.infer<typeof plantSchema>;

/**
 * proven: the gate turned red. not_proven: it did not. reused: it was proven for the same change before. waived: a person decided to merge
 * all the same. documents, nothing: nothing was planted.
 */
const recordSchema = z.object({
  outcome: z.enum(["proven", "not_proven", "reused", "waived", "documents", "nothing"]),
  profile: z.string(),
  key: z.string(),
  planted: z.array(plantSchema),
  /** Additional runs of the gate, and their time. */
  runs: z.int(),
  ms: z.number(),
  gate_ms: z.number(),
  /** The kind of plant that this gate runs. */
  collects: z.enum(["test", "load"]).nullable(),
  waived_by: z.string().nullable(),
  comment: z.string().nullable(),
  /** Kinds of changed files in which nothing could be planted. */
  unknown: z.array(z.string()),
});
export type CanaryRecord = z.infer<typeof recordSchema>;

export function canaryRecord({ kind, counts }: Pick<Check, "kind" | "counts">): CanaryRecord | null {
  if (kind !== CANARY) return null;
  const parsed = recordSchema.safeParse(counts);
  return parsed.success ? parsed.data : null;
}

export function canaryCheck(gate: string, mode: string, counts: CanaryRecord) {
  const status = counts.outcome === "not_proven" || counts.outcome === "waived" ? "fail" : "pass";
  return { id: `${gate}#${CANARY}`, name: mode, kind: CANARY, status, exit_code: null, counts } as const;
}

/** What was planted where, for people. */
export function plantedText(planted: readonly PlantRecord[]): string {
  const [tests, loads] = (["test", "load"] as const).map((wanted) => [
    ...new Set(planted.filter(({ kind }) => kind === wanted).map(({ path }) => path)),
  ]) as [string[], string[]];
  const parts = [
    ...(tests.length === 0 ? [] : [`a failing test was planted in it (${tests.join(", ")})`]),
    ...(loads.length === 0 ? [] : [`an exception was planted in it (${loads.join(", ")})`]),
  ];
  return parts.join(" and ");
}

/** A coverage report that contradicts the run has a text of its own. */
export function notProvenText(mode: string, planted: readonly PlantRecord[]): string {
  const denied = planted.filter(({ kind, fate }) => kind === "cover" && fate === "green");
  if (denied.length > 0) {
    const contradictions = denied.map(({ path, why }) => `${path}: ${why}`).join("; ");
    return `The coverage report of the ${mode} gate contradicts what was run: a function that nothing calls was planted (${contradictions}), so its verdict proves nothing.`;
  }
  return `The ${mode} gate did not turn red although ${plantedText(planted)}, so its verdict proves nothing.`;
}

/** One line about a gate's canary. */
export function canaryText(mode: string, { outcome, planted, runs, ms, gate_ms, waived_by, unknown }: CanaryRecord): string {
  switch (outcome) {
    case "proven":
      return `turned red as it must: ${planted
        .filter(({ fate, kind }) => fate === "red" && kind !== "cover")
        .map(redText)
        .filter((text, index, all) => all.indexOf(text) === index)
        .join(", ")}${coverText(planted)}; ${costText(runs, ms, gate_ms)}`;
    case "not_proven":
      return `${notProvenText(mode, planted)} ${costText(runs, ms, gate_ms)}`;
    case "reused":
      return "turned red for the same change, gate and toolchain before; not run again";
    case "waived":
      return `${notProvenText(mode, planted)} ${waived_by ?? "A person"} decided to merge all the same`;
    case "documents":
      return "nothing planted: only documents changed";
    case "nothing":
      return nothingText(unknown);
  }
}

export function nothingText(unknown: readonly string[]): string {
  return `nothing could be planted in the gates: no test in a known framework, and no exception can be planted in ${unknown.join(", ") || "these files"}`;
}

function coverText(planted: readonly PlantRecord[]): string {
  const paths = planted.filter(({ kind, fate }) => kind === "cover" && fate === "red").map(({ path }) => path);
  return paths.length === 0 ? "" : `; its coverage report has a planted line that nothing runs as not run (${paths.join(", ")})`;
}

function redText({ kind, path, step }: PlantRecord): string {
  return `${kind === "test" ? "a failing test" : "an exception"} in ${path}${step === null ? "" : ` (step ${step})`}`;
}

function costText(runs: number, ms: number, gateMs: number): string {
  const share = gateMs > 0 ? `, ${(ms / gateMs).toFixed(2)} times the gate's own ${Math.round(gateMs)} ms` : "";
  return `${runs} additional ${runs === 1 ? "run" : "runs"}, ${Math.round(ms)} ms${share}`;
}
