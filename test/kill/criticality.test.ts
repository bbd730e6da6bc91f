import { expect, test } from "vitest";
import { criticalityViolations, undisturbedProgram } from "./criticality-invariants.ts";
import { deathsOf, dieEverywhere, prepareRequest } from "./flow.ts";

/** Where something is accepted, paid or delivered. `npm run campaign:kill -- --criticality` dies at every point. */
const POINTS: Readonly<Record<string, readonly string[]>> = {
  "a body is paid for or written": ["write:.*#feeFor:1:1/reserve:0/settle", "^step .*write:.*#totalBalance:1:1"],
  "a body is accepted or discarded": ["^step .*verify:.*#(?:formatAmount:1:1|feeFor:1:[14]|transfer:[12]:1)"],
  "a claim is violated": ["^committed .*/violation:1:transfers"],
  "a checkpoint is written": ["^committed .*/state:(?:70|110)$"],
  "a transform is verified or reverted": ["^step .*reduce:.*extract-magic-value:1.1:verify", "^committed .*reduce:.*totalBalance.*:revert"],
  "the program is delivered": ["^step .* program$", "^effect_done .*/patch:1.1", "^(?:effect_done|committed) .*/merge:"],
};

test("a run of criticality, killed where it accepts, pays and delivers", { timeout: 900_000 }, async () => {
  const expected = undisturbedProgram();
  const flow = await prepareRequest("criticality", "mine");
  const on = Object.values(POINTS).flat().join("|");
  const { deaths, last } = await dieEverywhere(flow, 0, { focus: { on, share: 1 } });
  expect((await criticalityViolations(flow, last, await expected)).join("\n")).toBe("");
  expect(deaths).toBe(deathsOf(flow).length);
  expect(deaths).toBeGreaterThanOrEqual(12);
  for (const [what, points] of Object.entries(POINTS)) expect(deathsOf(flow).join("\n"), what).toMatch(new RegExp(points.join("|"), "m"));
  console.log(`kill suite: ${deaths} kill points in a run of criticality`);
});
