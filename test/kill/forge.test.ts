import { expect, test } from "vitest";
import { deathsOf, dieEverywhere, prepareRequest } from "./flow.ts";
import { forgeViolations, undisturbedForge } from "./forge-invariants.ts";

/** Where something is paid for, recorded as evidence, restored or delivered. `npm run campaign:kill -- --forge` dies at every point. */
const POINTS: Readonly<Record<string, readonly string[]>> = {
  "a run is set up": ["^committed [^/]*/[^/]*/setup$"],
  "an output is written": ["^committed .*(?:researcher:patterns.1|adversarial-reviewer:code-correctness-r1.1)/output$"],
  "a gate is logged": ["^committed .*/approval:gate-post-research:1$"],
  "verdicts are merged": ["^committed .*/verdicts:design:1$"],
  "an agent is paid for": ["implementer:task-01-w1-i1.*/reserve:0/settle", "^step .*researcher:impact.* output$"],
  "a row of evidence is recorded": ["^committed .*cascade:task-02:1/record-tier-2$", "^step .*baseline:task-01$"],
  "a verdict is recorded": ["^committed .*verdict:design-security-r2"],
  "a plan is made again": ["^step .*planner:replan-w1-i1.* end$"],
  "files are restored": ["^effect_done .*revert:task-02:", "^committed .*revert-row:task-02"],
  "a decision is recorded": ["^committed .*route:1$"],
  "the change is delivered": ["^(?:effect_done|committed) .*/merge:", "^step .*bundle:merged-1$"],
};

test("[FOR-133][FOR-142][FOR-143] a run of forge, killed where it pays, records, restores and delivers", { timeout: 600_000 }, async () => {
  const expected = undisturbedForge();
  const flow = await prepareRequest("forge", "mine");
  const on = Object.values(POINTS).flat().join("|");
  const { deaths, last } = await dieEverywhere(flow, 0, { focus: { on, share: 1 } });
  expect((await forgeViolations(flow, last, await expected)).join("\n")).toBe("");
  expect(deaths).toBe(deathsOf(flow).length);
  for (const [what, points] of Object.entries(POINTS)) expect(deathsOf(flow).join("\n"), what).toMatch(new RegExp(points.join("|"), "m"));
  console.log(`kill suite: ${deaths} kill points in a run of forge`);
});

const SECOND: Readonly<Record<string, readonly string[]>> = {
  "the blocker is paid for": ["adversarial-reviewer:design-security-r1.*/reserve:0/settle"],
  "the blocker is recorded": ["^committed .*verdict:design-security-r1"],
  "verdicts are merged": ["^committed .*/verdicts:design:1$"],
  "the run ends": ["^committed [^/]*/[^/]*/error$"],
};

test(
  "[FOR-105][FOR-142] a run of forge that ends at a blocker, killed where it is paid for and recorded",
  { timeout: 300_000 },
  async () => {
    const expected = undisturbedForge(true);
    const flow = await prepareRequest("forge", "mine", true);
    const { deaths, last } = await dieEverywhere(flow, 0, { focus: { on: Object.values(SECOND).flat().join("|"), share: 1 } });
    expect((await forgeViolations(flow, last, await expected)).join("\n")).toBe("");
    for (const [what, points] of Object.entries(SECOND)) expect(deathsOf(flow).join("\n"), what).toMatch(new RegExp(points.join("|"), "m"));
    console.log(`kill suite: ${deaths} kill points in a run of forge that ends at a blocker`);
  },
);
