import { expect, test } from "vitest";
import { letters } from "../testing/project.ts";

test("watch ends with the last lines and the exit code of the run", async () => {
  const project = letters();
  await project.run();
  const waiting = await project.slipway(["watch"]);
  expect(waiting.code).toBe(23);
  expect(waiting.stdout).toContain("slipway approve letters");
  await project.slipway(["answer", "Q1", "reject", "--comment", "not now"]);
  const ended = await project.slipway(["resume"]);
  const watched = await project.slipway(["watch"]);
  expect({ resume: ended.code, watch: watched.code }).toEqual({ resume: 3, watch: 3 });
  expect(watched.stdout).toContain("letters ended failed; its work is kept under refs/slipway.");
  expect(watched.stdout).toContain("next: slipway retry letters");
});
