import { expect, test } from "vitest";
import { TIDES } from "../testing/criticality-project.ts";
import { letters } from "../testing/project.ts";

test("[CRI-153] a specification that no model can take blocks the run before a model is called", { timeout: 60_000 }, async () => {
  const sentences = Array.from({ length: 450 }, (_, at) => JSON.stringify(`Rule ${at} ${"holds ".repeat(310)}`));
  const spec = TIDES.replace('functional = ["Heights are finite."]', `functional = [${sentences.join(", ")}]`);
  const project = letters({ "spec.toml": spec });
  const { code, stderr } = await project.slipway(["criticality", "--spec", "spec.toml", "--cassette", project.cassette]);
  expect(code, stderr).toBe(23);
  const { stdout } = await project.slipway(["criticality", "resolve"]);
  expect(stdout).toMatch(/Blocked by context_overflow_001:\n {2}witnesses: The prompt has 2\d+ tokens; no model takes more than 200000\./);
  expect(stdout).toContain("Split the specification (revise_spec)");
  expect(project.sql("SELECT count(*) AS calls FROM telemetry")).toEqual([{ calls: 0 }]);
});
