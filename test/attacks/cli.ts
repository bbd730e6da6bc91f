import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { patchOf, planFor } from "slipway/testing/project";
import { expect } from "vitest";
import { slipway } from "../bad-input/place.ts";
import { unharmed } from "./surroundings.ts";
import type { Yard } from "./yard.ts";

export { slipway };

const cassetteOf = ({ home }: Yard) => join(home, "cassette");

/** Answers of the agents of a recorded run; by default the first letter file becomes "two". */
export interface Answers {
  readonly plan?: Readonly<Record<string, unknown>>;
  readonly diff?: string;
  /** The changed line of each file in the diff; QA has a verdict on every one. */
  readonly lines?: Readonly<Record<string, number>>;
}

function recordAnswers(yard: Yard, { plan = {}, diff, lines = { "src/a.txt": 1 } }: Answers = {}, feature = "letters"): void {
  const put = (role: string, output: unknown) => {
    const file = join(cassetteOf(yard), role, `${feature}.1.json`);
    mkdirSync(dirname(file), { recursive: true });
    const usage = { input_tokens: 10, output_tokens: 5, cost_usd: 0.01 };
    writeFileSync(file, JSON.stringify({ role, subject: feature, attempt: "1", prompt_digest: null, output, usage }));
  };
  const patch = patchOf("src/a.txt", "one", "two");
  put("planner", planFor(feature, plan));
  put("builder", diff === undefined ? patch : { ...patch, unified_diff: diff });
  put("qa", { type: "NOTE", text: "every criterion is covered", updates: verdictsOn(lines) });
  writeFileSync(join(cassetteOf(yard), "cassette.json"), JSON.stringify({ version: 1, created: "2026-11-15", description: "attacks" }));
}

export function verdictsOn(lines: Readonly<Record<string, number>>) {
  return Object.entries(lines).map(([path, line]) => ({ path, hunks: [{ start_line: line, end_line: line }], status: "passed" }));
}

function run(yard: Yard, ...more: readonly string[]) {
  return slipway(yard, ["run", "letters.spec.md", "--cassette", cassetteOf(yard), ...more]);
}

export function resume(yard: Yard, ...more: readonly string[]) {
  return slipway(yard, ["resume", "--cassette", cassetteOf(yard), ...more]);
}

/** Runs until the approval is asked for, without touching the base. */
export async function runUntilApproval(yard: Yard, answers: Answers = {}): Promise<void> {
  recordAnswers(yard, answers);
  const { code, stdout, stderr } = await unharmed(yard, ["letters"], () => run(yard));
  expect(code, `${stdout}${stderr}`).toBe(23);
}
