import { describe, expect, test } from "vitest";
import { hasEnded, isDecided, nextToLand, waitsToLand, type SiblingStatus } from "./rules.ts";

const at = (status: SiblingStatus["status"], more: Partial<SiblingStatus> = {}): SiblingStatus => ({
  status,
  runFinished: false,
  waitsFor: null,
  asks: [],
  ...more,
});

describe("whether later features may submit their plans", () => {
  const alive = () => false;
  test.each<[string, SiblingStatus, boolean]>([
    ["has not begun", at(null), false],
    ["is planning", at("planning"), false],
    ["waits for a feature that can still land", at("planning", { waitsFor: ["a"] }), true],
    ["asks a person", at("planning", { asks: ["request"] }), true],
    ["is blocked", at("blocked"), true],
    ["has a plan", at("building"), true],
    ["has landed", at("merged"), true],
    ["has failed unexpectedly", at("planning", { runFinished: true }), true],
  ])("one that %s", (_what, standing, decided) => {
    expect(isDecided(standing, alive)).toBe(decided);
  });

  test("a feature whose wait is over is planning again", () => {
    expect(isDecided(at("planning", { waitsFor: ["a", "b"] }), (id) => id === "a")).toBe(true);
    expect(isDecided(at("planning", { waitsFor: ["a", "b"] }), () => true)).toBe(false);
  });
});

test("a feature has ended when nothing more will follow", () => {
  expect([at("merged"), at("failed"), at("qa", { runFinished: true })].map(hasEnded)).toEqual([true, true, true]);
  expect([at("blocked"), at("ready_to_merge"), at(null)].map(hasEnded)).toEqual([false, false, false]);
});

test("features that wait to land: those that are ready and wait for no person", () => {
  expect(waitsToLand(at("ready_to_merge"))).toBe(true);
  expect(waitsToLand(at("ready_to_merge", { asks: ["mend"] }))).toBe(false);
  expect(waitsToLand(at("ready_to_merge", { asks: ["approval"] }))).toBe(false);
  expect(waitsToLand(at("ready_to_merge", { runFinished: true }))).toBe(false);
  expect(waitsToLand(at("blocked"))).toBe(false);
});

test("approvals land in the order they were given, equal times in the order of the run", () => {
  const order = ["a", "b", "c"];
  const approved = (feature_id: string, approvedAt: number) => ({ feature_id, approvedAt });
  expect(nextToLand([], order)).toBeNull();
  expect(nextToLand([approved("a", 5), approved("c", 3)], order)).toBe("c");
  expect(nextToLand([approved("c", 3), approved("b", 3)], order)).toBe("b");
});
