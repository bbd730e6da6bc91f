import { expect, test } from "vitest";
import { letters } from "./testing/project.ts";

const agents = (runtime: string) => ({ "slipway/agents.yaml": `{ version: 1, roles: {}, runtime: { ${runtime} } }\n` });

test("a provider that is not installed is replaced by the fallback in agents.yaml, with a warning", async () => {
  const project = letters(agents("default_provider: codex, fallbacks: [{ provider: replay }], codex: { command: [no-such-program] }"));
  const { code, stdout, stderr } = await project.run();
  expect(code, stdout + stderr).toBe(23);
  expect(stdout).toContain("slipway approve letters");
  expect(stderr).toContain("using replay instead");
  expect(project.sql("SELECT DISTINCT provider FROM telemetry")).toEqual([{ provider: "replay" }]);
});

test("without a fallback the run does not begin", async () => {
  const project = letters(agents("default_provider: codex, codex: { command: [no-such-program] }"));
  const { code, stderr } = await project.run();
  expect(code).toBe(2);
  expect(stderr).toContain("agent_not_installed");
  expect(project.sql("SELECT run_id FROM runs")).toEqual([]);
});

test("a role's tier decides its model", async () => {
  const project = letters(agents("default_provider: replay, default_model: house, tiers: { strong: { model: big } }"));
  await project.run();
  const models = project.sql("SELECT role, model FROM telemetry ORDER BY role").map(({ role, model }) => [role, model]);
  expect(Object.fromEntries(models)).toEqual({ planner: "big", builder: expect.any(String), qa: "house" });
});

test("[CRI-151] without opencode a run of criticality uses Claude; without both it does not begin", async () => {
  const project = letters(agents("opencode: { command: [no-such-opencode] }, claude: { command: [no-such-claude] }"));
  const refused = await project.slipway(["criticality", "tides"]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("agent_not_installed")]);
  expect(project.sql("SELECT run_id FROM runs")).toEqual([]);
  const withClaude = letters(agents("opencode: { command: [no-such-opencode] }, claude: { command: [/bin/true] }"));
  const { code, stdout, stderr } = await withClaude.slipway(["criticality", "tides"], {
    env: { ...withClaude.env, ANTHROPIC_API_KEY: "key" },
  });
  expect(code, stdout + stderr).toBe(23);
  expect(withClaude.sql("SELECT workflow FROM runs")).toEqual([{ workflow: "criticality" }]);
});
