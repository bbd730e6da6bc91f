import { expect, test } from "vitest";
import { undisturbedTree } from "./expectations.ts";
import { deathsOf, dieEverywhere, prepare } from "./flow.ts";
import { violations } from "./invariants.ts";

/** The other file of this kind dies at every point. This one dies mainly during the landing, where the user's branch matters. */
const SHARE = 0.15;
const LANDING = { on: "land|candidate|approve|answer|merge|worktree|completed", share: 1 };

test("killed at journal events and phases of operations, while the user is on the base branch", { timeout: 900_000 }, async () => {
  const tree = await undisturbedTree();
  const flow = await prepare("main");
  const { deaths, last } = await dieEverywhere(flow, SHARE, { focus: LANDING });
  expect((await violations(flow, last, tree)).join("\n")).toBe("");
  expect(deaths).toBe(deathsOf(flow).length);
  // Five files form the suite: 300 kill points together.
  expect(deaths).toBeGreaterThanOrEqual(35);
  for (const kind of [
    "effect_done .*/candidate:",
    "committed .*/candidate:",
    "started .*/merge:",
    "effect_done .*/merge:",
    "committed .*/merge:",
  ])
    expect(deathsOf(flow).join("\n")).toMatch(new RegExp(`^${kind}`, "m"));
  console.log(`kill suite: ${deaths} kill points, while the user is on the base branch`);
});
