import { expect, test } from "vitest";
import { letters } from "../testing/project.ts";

test("lists every protocol with what it takes and delivers, and its roles", async () => {
  const project = letters();
  const { code, stdout } = await project.slipway(["protocols"]);
  expect(code).toBe(0);
  expect(stdout).toContain("takes specifications, delivers changes; roles: builder, planner, qa");
  expect(stdout).toContain("takes a page, delivers one change; roles: arbiter, challenger, planner, product-owner, proposer");
  expect((await project.slipway(["protocols", "--json"])).json()[0]).toMatchObject({
    protocols: [
      { name: "features", takes: "specifications" },
      { name: "factory", takes: "a page" },
      { name: "criticality", takes: "an interview" },
      { name: "forge", takes: "a request" },
      { name: "crew", takes: "a request" },
    ],
  });
});
