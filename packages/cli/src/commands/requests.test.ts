import { createHash } from "node:crypto";
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

const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");

test.each<[argv: string[], workflow: string, request: string, input: object]>([
  [["forge", "request.md"], "forge", "# Letters\n\nThe file says two.", { mode: "autonomous", feature_id: "letters-file-says-two" }],
  [["forge", "The letters say two", "--interactive"], "forge", "The letters say two", { mode: "interactive" }],
  [["crew", "The letters say two", "--lean", "--type", "lib"], "crew", "The letters say two", { mode: "lean", project_type: "lib" }],
  [["crew", "The letters say two"], "crew", "The letters say two", { mode: "full", project_type: "cli", feature_id: "letters-say-two" }],
])("slipway %j begins a run of %s with its request and its options", async (argv, workflow, request, input) => {
  const project = letters({ "package.json": '{"bin": "cli.js"}', "request.md": "# Letters\n\nThe file says two.\n" });
  await project.slipway([...argv, "--cassette", project.cassette]);
  const [started] = project.sql("SELECT name, payload FROM events WHERE kind = 'started' AND stream NOT LIKE '%/%'");
  expect(started?.["name"]).toBe(workflow);
  const payload = JSON.parse(String(started?.["payload"])) as { input: object };
  expect(payload.input).toMatchObject({ ...input, spec_digest: digestOf(request) });
});
