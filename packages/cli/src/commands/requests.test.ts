import { expect, test } from "vitest";
import { letters } from "../testing/project.ts";

test.each([
  [["forge"], "The request is empty."],
  [["forge", "  "], "The request is empty."],
  [["forge", "-fi", "a.md", "words"], "in one way only"],
  [["forge", "-fi", "missing.md"], "missing.md"],
  [["mcp", "nonsense"], "There is no `slipway mcp nonsense`."],
  [["mcp", "--function", "f"], "--function needs --server."],
  [["mcp", "--server", "nonsense"], "nonsense"],
  [["mcp", "token", "--role", "nonsense"], "nonsense"],
  [["mcp", "--http", "--port", "x"], "port"],
  [["mcp", "--role", "nonsense"], "nonsense"],
  [["mcp", "--print-config", "nonsense"], "--print-config takes one of"],
  [["transcript", "nothing"], "Nothing has run in this repository yet."],
])("slipway %j is refused before anything is recorded", async (argv, said) => {
  const project = letters({ "a.md": "A request\n" });
  const { code, stderr } = await project.slipway(argv);
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  expect((await project.slipway(["status"])).stdout).toContain("Nothing has run here yet");
});
