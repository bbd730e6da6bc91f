import { expect, test } from "vitest";
import { factoryViolations, watchSeals } from "./factory-invariants.ts";
import { deathsOf, dieEverywhere, prepareFactory } from "./flow.ts";

/** `npm run campaign:kill -- --factory` dies at every point. This test prefers points where something is sealed, registered or released. */
const SHARE = 0.007;
const FOCUS = { on: "ship:\\d+:(?:evidence|seal|status|register)|supersede|release|merge", share: 0.06 };

test("a run of the factory, killed at journal events and phases of operations", { timeout: 900_000 }, async () => {
  const flow = await prepareFactory("main");
  const seals = watchSeals(flow);
  const { deaths, last } = await dieEverywhere(flow, SHARE, { focus: FOCUS, eachTime: seals.look });
  expect((await factoryViolations(flow, last, seals)).join("\n")).toBe("");
  expect(deaths).toBe(deathsOf(flow).length);
  expect(deaths).toBeGreaterThanOrEqual(12);
  console.log(`kill suite: ${deaths} kill points in a run of the factory`);
});
