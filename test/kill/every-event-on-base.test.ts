import { expect, test } from "vitest";
import { undisturbedTree } from "./expectations.ts";
import { deathsOf, dieEverywhere, prepare } from "./flow.ts";
import { violations } from "./invariants.ts";

const SHARE = 0.5;

test("killed at journal events and phases of operations, while the user is on the base branch", { timeout: 400_000 }, async () => {
  const tree = await undisturbedTree();
  const flow = await prepare("main");
  const { deaths, last } = await dieEverywhere(flow, SHARE);
  expect((await violations(flow, last, tree)).join("\n")).toBe("");
  expect(deaths).toBe(deathsOf(flow).length);
  // Four files make up the suite: 300 kill points together. The other one like this dies at every point.
  expect(deaths).toBeGreaterThanOrEqual(50);
  console.log(`kill suite: ${deaths} kill points, while the user is on the base branch`);
});
