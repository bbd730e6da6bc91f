import { expect, test } from "vitest";
import { letters } from "../testing/project.ts";

test.each([
  [["forge"], "The request is empty."],
  [["forge", "  "], "The request is empty."],
  [["forge", "-fi", "a.md", "words"], "in one way only"],
  [["forge", "-fi", "missing.md"], "missing.md"],
])("slipway %j is refused before anything is recorded", async (argv, said) => {
  const project = letters({ "a.md": "A request\n" });
  const { code, stderr } = await project.slipway(argv);
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  expect((await project.slipway(["status"])).stdout).toContain("Nothing has run here yet");
});
