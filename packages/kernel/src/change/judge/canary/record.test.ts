import { describe, expect, test } from "vitest";
import type { Check } from "../evidence/checks.ts";
import { judgePlant, type Shown } from "./judge-plants.ts";
import { canaryLines } from "./lines.ts";
import type { CoverPlant } from "./plant.ts";
import { canaryCheck, canaryRecord, canaryText, notProvenText, type CanaryRecord, type PlantRecord } from "./record.ts";

const plant = (kind: PlantRecord["kind"], fate: PlantRecord["fate"], path: string, step: string | null = "test"): PlantRecord => ({
  kind,
  path,
  near: null,
  framework: null,
  fate,
  step,
  why: "so it is",
});
const RECORD: CanaryRecord = {
  outcome: "proven",
  profile: "default",
  key: "key",
  planted: [plant("test", "red", "a.test.ts"), plant("test", "red", "a.test.ts"), plant("load", "red", "b.ts", null)],
  runs: 1,
  ms: 50,
  gate_ms: 100,
  collects: "test",
  waived_by: null,
  comment: null,
  unknown: [],
};
const text = (more: Partial<CanaryRecord>) => canaryText("full", { ...RECORD, ...more });

describe("what people read about a canary", () => {
  test.each<[string, Partial<CanaryRecord>, string]>([
    [
      "proven",
      {},
      "turned red as it must: a failing test in a.test.ts (step test), an exception in b.ts; 1 additional run, 50 ms, 0.50 times the gate's own 100 ms",
    ],
    [
      "proven, with coverage",
      { planted: [plant("test", "red", "a.test.ts"), plant("cover", "red", "b.ts")], runs: 2, gate_ms: 0 },
      "turned red as it must: a failing test in a.test.ts (step test); its coverage report has a planted line that nothing runs as not run (b.ts); 2 additional runs, 50 ms",
    ],
    [
      "not proven",
      { outcome: "not_proven", planted: [plant("test", "green", "a.test.ts"), plant("load", "unseen", "b.ts")], gate_ms: 0 },
      "The full gate did not turn red although a failing test was planted in it (a.test.ts) and an exception was planted in it (b.ts), so its verdict proves nothing. 1 additional run, 50 ms",
    ],
    ["reused", { outcome: "reused" }, "turned red for the same change, gate and toolchain before; not run again"],
    [
      "waived",
      { outcome: "waived", planted: [plant("test", "green", "a.test.ts")] },
      "The full gate did not turn red although a failing test was planted in it (a.test.ts), so its verdict proves nothing. A person decided to merge all the same",
    ],
    ["documents", { outcome: "documents" }, "nothing planted: only documents changed"],
    [
      "nothing",
      { outcome: "nothing", unknown: [".sh"] },
      "nothing could be planted in the gates: no test in a known framework, and no exception can be planted in .sh",
    ],
    [
      "nothing known",
      { outcome: "nothing" },
      "nothing could be planted in the gates: no test in a known framework, and no exception can be planted in these files",
    ],
  ])("%s", (_, more, expected) => {
    expect(text(more)).toBe(expected);
  });

  test("a coverage report that contradicts the run has its own text", () => {
    expect(notProvenText("full", [plant("test", "red", "a.test.ts"), plant("cover", "green", "b.ts")])).toBe(
      "The coverage report of the full gate contradicts what was run: a function that nothing calls was planted (b.ts: so it is), so its verdict proves nothing.",
    );
  });

  test("the approver sees decisions of people and what could not be shown", () => {
    const check = (more: Partial<CanaryRecord>): Check =>
      ({ ...canaryCheck("G", more.profile ?? "full", { ...RECORD, ...more }) }) as unknown as Check;
    const { flags, notes } = canaryLines([
      check({}),
      check({
        profile: "fast",
        outcome: "waived",
        waived_by: "kim",
        comment: "I have read it",
        planted: [plant("test", "green", "a.test.ts")],
      }),
      check({ profile: "merge", outcome: "nothing", unknown: [".sh"] }),
      { ...check({}), kind: "mode" },
    ]);
    expect(flags).toEqual([expect.stringMatching(/^The fast gate .* proves nothing\. kim decided to merge all the same: I have read it$/)]);
    expect(notes).toEqual([expect.stringMatching(/^nothing could be planted .*\.sh$/)]);
    expect(canaryRecord({ kind: "canary", counts: { outcome: "other" } })).toBeNull();
  });
});

test.each<[PlantRecord["fate"], string, ReadonlyMap<string, ReadonlyMap<number, boolean>>]>([
  ["red", "the line did not run", new Map([["a.js", new Map([[7, false]])]])],
  ["green", "the line ran", new Map([["a.js", new Map([[7, true]])]])],
  ["green", "the line is not there", new Map([["a.js", new Map([[1, true]])]])],
  ["unseen", "the file has no lines", new Map([["a.js", new Map()]])],
  ["unseen", "the file is not there", new Map()],
])("a coverage report is %s if %s", (fate, _, covered) => {
  const cover: CoverPlant = { kind: "cover", path: "a.js", text: "", line: 7, token: "" };
  const shown: Shown = { steps: [], ran: new Set(), failed: new Set(), loaded: new Set(), covered };
  expect(judgePlant(cover, shown, new Map()).fate).toBe(fate);
});
