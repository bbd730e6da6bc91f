import { describe, expect, test } from "vitest";
import { letters } from "./testing/project.ts";

describe("[FEA-163] provider, model and credentials from options and environment", () => {
  test.each([
    ["nobody", "runtime: {}", [], "agent_provider_not_configured"],
    ["an unknown provider", "runtime: {}", ["--agent-provider", "oracle"], "unsupported_agent_provider"],
    [
      "a provider without credentials",
      "runtime: { default_provider: custom, provider_config_env: NO_SUCH_KEY }",
      [],
      "provider_auth_missing",
    ],
  ])("%s: refused before a run is recorded or a session begins", async (_who, runtime, flags, code) => {
    const project = letters({ "slipway/agents.yaml": `version: 1\nroles: {}\n${runtime}\n` });
    const ended = await project.slipway(["run", "letters.spec.md", ...flags]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(new RegExp(`^${code}: `));
    expect(project.sql("SELECT run_id FROM runs")).toEqual([]);
    expect(project.sql("SELECT id FROM features")).toEqual([]);
  });

  test("the run's record has provider, model and the name of the variable, but not its value", async () => {
    const project = letters();
    const env = { ...project.env, MY_KEY: "a-secret-value" };
    const flags = ["--agent-model", "big", "--provider-config-env", "MY_KEY"];
    expect((await project.slipway(["run", "letters.spec.md", "--cassette", project.cassette, ...flags], { env })).code).toBe(23);
    const [started] = project.sql("SELECT payload FROM events WHERE kind = 'started' AND name = 'features'");
    const agent = { provider: "replay", model: "big", provider_config_env: "MY_KEY" };
    expect(JSON.parse(String(started?.["payload"]))).toMatchObject({ input: { agents: { planner: agent, builder: agent, qa: agent } } });
    const everything = project.sql("SELECT payload AS text FROM events UNION ALL SELECT coalesce(response, '') FROM operations");
    expect(JSON.stringify(everything)).not.toContain("a-secret-value");
  });
});
