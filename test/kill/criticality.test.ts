import { expect, test } from "vitest";
import { criticalityViolations, undisturbedProgram } from "./criticality-invariants.ts";
import { deathsOf, dieEverywhere, prepareCriticality } from "./flow.ts";

/**
 * `npm run campaign:kill -- --criticality` dies at every point. This test prefers points where a body is written or accepted, a transform
 * is verified, a checkpoint is written after that, or the change is delivered.
 */
const SHARE = 0.003;
const FOCUS = { on: "verify|reduce:.*:(?:verify|revert)|cluster|violation|program|patch|merge|candidate", share: 0.12 };

test("a run of criticality, killed at journal events and phases of operations", { timeout: 900_000 }, async () => {
  const expectedTree = undisturbedProgram();
  const flow = await prepareCriticality("mine");
  const { deaths, last } = await dieEverywhere(flow, SHARE, { focus: FOCUS });
  expect((await criticalityViolations(flow, last, await expectedTree)).join("\n")).toBe("");
  expect(deaths).toBe(deathsOf(flow).length);
  expect(deaths).toBeGreaterThanOrEqual(12);
  console.log(`kill suite: ${deaths} kill points in a run of criticality`);
});
