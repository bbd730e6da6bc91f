import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Reader } from "../../surface/surface.ts";
import { KEEP_STEP, restoreEndedRun } from "./restore-ended.ts";

/** A run with these steps, whose only object is the kept files. */
function reader(status: string | null, steps: readonly string[], looked: string[] = []) {
  const folder = join(mkdtempSync(join(tmpdir(), "slipway-ended-")), "run");
  const kept = Buffer.from(JSON.stringify({ "state.json": { text: "{}" }, "ledger.toml": { text: "" } }));
  const events = steps.map((name, index) => ({ kind: "step", name, seq: index + 1, payload: JSON.stringify({ value: "digest" }) }));
  const engine = {
    run: async () => (looked.push("run"), status === null ? undefined : { status }),
    events: async () => events,
  };
  const records = { layout: { run: () => folder }, objects: { get: async () => kept } };
  return { folder, opened: { records, engine } as unknown as Reader };
}

test("an ended run whose state file is missing gets its files again", async () => {
  const { folder, opened } = reader("completed", ["state:1", KEEP_STEP, "program"]);
  expect(await restoreEndedRun(opened, "r")).toBe(2);
  expect(existsSync(join(folder, "state.json"))).toBe(true);
});

test("a run whose state file exists is not looked at", async () => {
  const looked: string[] = [];
  const { folder, opened } = reader("completed", [KEEP_STEP], looked);
  mkdirSync(folder);
  writeFileSync(join(folder, "state.json"), "{}");
  expect([await restoreEndedRun(opened, "r"), looked]).toEqual([0, []]);
});

test.each([
  ["that goes on", "waiting", [KEEP_STEP]],
  ["that was cancelled before its end", "cancelled", ["state:1"]],
  ["that does not exist", null, []],
])("a run %s is left as it is", async (_what, status, steps) => {
  const { folder, opened } = reader(status, steps);
  expect(await restoreEndedRun(opened, "r")).toBe(0);
  expect(existsSync(folder)).toBe(false);
});
