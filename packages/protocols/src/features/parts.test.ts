import { expect, test } from "vitest";
import { excerpt, stableExcerpt } from "./excerpt.ts";
import { featuresRole } from "./roles.ts";
import { toolFor } from "../change/worker-role.ts";
import { conflictingIn, resourcesIn } from "../change/collision-rules.ts";
import { WORKER_OUTPUT } from "./schemas.ts";

test("the same failure gives the same text wherever and whenever it happened", () => {
  const log = (folder: string, ms: string) =>
    `\u001b[31mnot ok\u001b[0m /${folder}/.worktrees/letters/src/a.test.ts:3 (${ms}ms)\n# duration_ms ${ms}\n`;
  expect(stableExcerpt(log("tmp/one", "1.25"))).toBe(stableExcerpt(log("home/two", "77")));
  expect(stableExcerpt(log("tmp/one", "1.25"))).toContain("src/a.test.ts:3");
});

test("the text that a worker reads keeps its times, which may be what a test expected", () => {
  expect(excerpt("Expected `waits 100 ms` / Actual `waits 250 ms`\n\u001b[31mtime: 10\u001b[0m\n")).toBe(
    "Expected `waits 100 ms` / Actual `waits 250 ms`\ntime: 10",
  );
});

test("only the end of a long log is shown", () => {
  const lines = Array.from({ length: 500 }, (_, index) => `line ${index}`).join("\n");
  expect(stableExcerpt(lines).split("\n")).toHaveLength(60);
  expect(stableExcerpt(lines)).toContain("line 499");
});

test.each(["planner", "builder", "qa"])("the role %s comes with the protocol, and a repository may replace its prompt", async (name) => {
  const builtin = await featuresRole(name, async () => null);
  expect(builtin.name).toBe(name);
  const own = `---\nname: ${name}\ntier: fast\ntools: []\nwrite_grant: none\noutput: ${builtin.output}\n---\nOur way.\n`;
  const replaced = await featuresRole(name, async (path) => (path === `slipway/roles/features/${name}.md` ? Buffer.from(own) : null));
  expect(replaced.prompt).toBe("Our way.");
});

test.each([
  ["planner", { type: "PATCH", summary: "x", unified_diff: "y" }],
  ["builder", { type: "PLAN_SUBMISSION", plan: {} }],
  ["qa", { type: "MERGE" }],
  ["qa", { type: "NOTE", text: "x", extra: 1 }],
] as const)("[FEA-121] a %s may not return %j", (role, output) => {
  expect(WORKER_OUTPUT[role].safeParse(output).success).toBe(false);
});

test("a failure without details names no conflicting features or resources", () => {
  const failure = { code: "collision_detected", message: "", details: {} } as const;
  expect([conflictingIn(failure), resourcesIn(failure)]).toEqual([[], []]);
});

test("an output that a role cannot return has no tool", () => {
  expect(() => toolFor("planner", "PATCH")).toThrow("The role planner cannot return PATCH.");
  expect(toolFor("qa", "INDEX_UPDATE")).toBe("qa.test_index_update");
});
