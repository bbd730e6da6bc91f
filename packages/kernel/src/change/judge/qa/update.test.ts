import { describe, expect, test } from "vitest";
import { align } from "./align.ts";
import { applyUpdates, type QaUpdate } from "./update.ts";

const AT = Date.UTC(2026, 0, 2);
const hunk = (start_line: number, end_line = start_line, change_type: "added" | "mode" = "added") => ({
  start_line,
  end_line,
  change_type,
});
const entries = align(
  [],
  [
    { path: "a", key: "1", hunk: hunk(1, 3) },
    { path: "a", key: "2", hunk: hunk(9) },
    { path: "b", key: "3", hunk: hunk(0, 0, "mode") },
    { path: "b", key: "4", hunk: hunk(0) },
  ],
  () => ["full:test"],
);
const statusesAfter = (...updates: QaUpdate[]) => applyUpdates(entries, { updates, at: AT }).map(({ status }) => status);

describe("a batch", () => {
  test("[FEA-099] a verdict names hunks exactly as the index has them", () => {
    expect(statusesAfter({ path: "a", hunks: [hunk(9)], status: "passed" })).toEqual(["pending", "passed", "pending", "pending"]);
    expect(statusesAfter({ path: "a", hunks: [{ start_line: 1, end_line: 3 }, hunk(9)], status: "waived" }).slice(0, 2)).toEqual([
      "waived",
      "waived",
    ]);
  });

  test.each<[string, QaUpdate]>([
    ["no hunk", { path: "a", status: "passed" }],
    ["no hunk, failed", { path: "a", status: "failed" }],
    ["no hunk, waived", { path: "a", status: "waived" }],
    ["a hunk that does not exist", { path: "a", hunks: [{ start_line: 2, end_line: 3 }], status: "passed" }],
    ["one hunk of two that does not exist", { path: "a", hunks: [hunk(9), hunk(10)], status: "failed" }],
    ["a hunk of another file", { path: "b", hunks: [hunk(9)], status: "passed" }],
    ["a hunk of another kind", { path: "a", hunks: [hunk(9, 9, "mode")], status: "passed" }],
    ["a path that does not exist", { path: "c", hunks: [hunk(9)], status: "passed" }],
    ["a path that does not exist, running", { path: "c", status: "running" }],
  ])("[FEA-099] with %s is refused, and names the update", (_what, update) => {
    const good: QaUpdate = { path: "a", hunks: [hunk(9)], status: "passed" };
    expect(() => applyUpdates(entries, { updates: [good, update], at: AT })).toThrow(`updates[1] (${update.path})`);
  });

  test("names every invalid update", () => {
    const updates: QaUpdate[] = [
      { path: "a", status: "passed" },
      { path: "b", status: "running" },
      { path: "c", status: "running" },
    ];
    expect(() => applyUpdates(entries, { updates, at: AT })).toThrow(/updates\[0\].*updates\[2\]/);
  });

  test("running and pending may apply to a whole file", () => {
    expect(statusesAfter({ path: "b", status: "running" })).toEqual(["pending", "pending", "running", "running"]);
    expect(statusesAfter({ path: "b", status: "running" }, { path: "b", status: "pending" })).toEqual(Array(4).fill("pending"));
  });

  test("two hunks on the same lines are distinguished by their kind", () => {
    expect(statusesAfter({ path: "b", hunks: [{ start_line: 0, end_line: 0, change_type: "mode" }], status: "passed" })).toEqual([
      "pending",
      "pending",
      "passed",
      "pending",
    ]);
  });

  test("evidence comes from the update and the batch, the time is that of a run", () => {
    const updates: QaUpdate[] = [
      { path: "a", hunks: [hunk(9)], status: "passed", evidence_refs: ["own"] },
      { path: "b", status: "running" },
      { path: "a", hunks: [hunk(1, 3)], status: "waived" },
    ];
    const [waived, passed, running] = applyUpdates(entries, { updates, evidence_refs: ["common", "own"], at: AT });
    expect(passed).toMatchObject({ evidence_refs: ["own", "common"], last_run_at: "2026-01-02T00:00:00.000Z" });
    expect(running).toMatchObject({ evidence_refs: ["common", "own"], last_run_at: "2026-01-02T00:00:00.000Z" });
    expect(waived).not.toHaveProperty("last_run_at");
    expect(applyUpdates([passed!], { updates: [{ path: "a", status: "pending" }], at: AT })[0]).toMatchObject({
      evidence_refs: ["own", "common"],
    });
  });
});
