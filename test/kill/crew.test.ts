import { expect, test } from "vitest";
import { crewViolations, undisturbedCrew } from "./crew-invariants.ts";
import { deathsOf, dieEverywhere, prepareRequest } from "./flow.ts";

/** Where something is paid for, decided, counted or delivered. `npm run campaign:kill -- --crew` dies at every point. */
const POINTS: Readonly<Record<string, readonly string[]>> = {
  "an agent is paid for": ["^committed .*crew-agent:Coder:1/reserve:0/settle$", "^completed crew-dispatch .*Reviewer:1.1"],
  "lean mode is left": ["^committed .*crew-state:4:INTAKE$"],
  "changes of the design are requested": ["^answered .*feature:.* gate:APPROVE_DESIGN:6$", "^committed .*crew-state:11:APPROVE_DESIGN$"],
  "the patch of a task is applied": ["^effect_done .*/patch:Coder-2.1$", "^committed .*crew-state:22:IMPLEMENT_LOOP$"],
  "decisions are asked for": ["^committed .*crew-state:\\d+:ASK_USER$"],
  "a repair is counted": ["^committed .*crew-state:\\d+:FIX_(?:REVIEW|SECURITY)$"],
  "the session is released": ["^committed .*crew-state:\\d+:RELEASE$"],
  "the change is delivered": ["^(?:effect_done|committed) .*/merge:", "^committed .*crew-state:\\d+:DONE$"],
};

test("[CRW-106] a session of crew, killed where it pays, decides, counts and delivers", { timeout: 600_000 }, async () => {
  const expected = undisturbedCrew();
  const flow = await prepareRequest("crew", "mine");
  const on = Object.values(POINTS).flat().join("|");
  const { deaths, last } = await dieEverywhere(flow, 0, { focus: { on, share: 1 } });
  expect((await crewViolations(flow, last, await expected)).join("\n")).toBe("");
  expect(deaths).toBe(deathsOf(flow).length);
  for (const [what, points] of Object.entries(POINTS)) expect(deathsOf(flow).join("\n"), what).toMatch(new RegExp(points.join("|"), "m"));
  console.log(`kill suite: ${deaths} kill points in a session of crew`);
});
