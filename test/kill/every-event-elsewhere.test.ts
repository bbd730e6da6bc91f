import { expect, test } from "vitest";
import { undisturbedTree } from "./expectations.ts";
import { deathsOf, dieEverywhere, prepare } from "./flow.ts";
import { violations } from "./invariants.ts";

test(
  "killed at every journal event and every phase of every operation, while the user is on another branch",
  { timeout: 900_000 },
  async () => {
    const tree = await undisturbedTree();
    const flow = await prepare("mine");
    const { deaths, last } = await dieEverywhere(flow);
    expect((await violations(flow, last, tree)).join("\n")).toBe("");
    expect(deaths).toBe(deathsOf(flow).length);
    // Five files form the suite: 300 kill points together.
    expect(deaths).toBeGreaterThanOrEqual(120);
    console.log(`kill suite: ${deaths} kill points, while the user is on a branch of their own`);
  },
);
