import { expect, test } from "vitest";
import { TOOLS } from "../config/rbac.ts";
import { sampleTools } from "./testing/sample-tools.ts";
import { assembleTools } from "./table.ts";

test("[FEA-068] there are thirty-one tools, and each has one name", () => {
  expect(TOOLS).toHaveLength(31);
  expect(new Set(TOOLS).size).toBe(31);
});

test("[FEA-068] a tool that is missing, extra or defined twice stops start-up, and is named", () => {
  const [first, ...others] = sampleTools();
  if (first === undefined) throw new Error("no sample");
  expect(() => assembleTools([first, first], ["plan.get", "repo.diff"])).toThrow("plan.get is defined twice; repo.diff is not defined");
  expect(() => assembleTools(others, ["feature.log_append"])).toThrow("feature.state_patch is not a tool of the catalog");
  expect([...assembleTools([first], ["plan.get"]).keys()]).toEqual(["plan.get"]);
});
