import { expect, test } from "vitest";
import { stringify } from "yaml";
import { parseAgents } from "./agents.ts";
import { refusalOf, violationsIn } from "./testing/refusal.ts";

const FILE = "slipway/agents.yaml";
const read = (value: unknown) => parseAgents(FILE, stringify(value));
const refused = (value: unknown) => refusalOf(() => read(value));

test("[FEA-054] version and roles are required, the rest is optional with defaults", () => {
  expect(read({ version: 1, roles: {} })).toEqual({
    version: 1,
    roles: {},
    missing_prompt_behavior: "ignore",
    runtime: { role_provider_overrides: {}, outage_minutes: 30 },
  });
  expect(violationsIn(refusalOf(() => parseAgents(FILE, ""))).map(({ pointer }) => pointer)).toEqual(["/version", "/roles"]);
  const full = {
    version: 1,
    roles: {
      planner: { system_prompt_path: "slipway/prompts/planner.system.md" },
      builder: { system_prompt_path: "slipway/prompts/builder.system.md" },
      qa: { system_prompt_path: "slipway/prompts/qa.system.md" },
    },
    missing_prompt_behavior: "error",
    runtime: {
      default_provider: "claude",
      default_model: "large",
      provider_config_env: "MY_KEY",
      role_provider_overrides: { qa: { provider: "gemini", model: "small" }, builder: { model: "medium" } },
      custom: { command: ["my-agent", "--json"], timeout_seconds: 5, works: "folder", programs: ["tools"], hosts: ["h:1"] },
      outage_minutes: 5,
      replay: { cassette: "cassettes/demo" },
    },
  };
  expect(read(full)).toEqual(full);
  for (const provider of ["codex", "claude", "gemini", "custom"]) {
    expect(read({ version: 1, roles: {}, runtime: { default_provider: provider } }).runtime.default_provider).toBe(provider);
  }
  expect(
    violationsIn(refused({ version: 1, roles: { "Planner!": {} }, missing_prompt_behavior: "warn" })).map(({ pointer }) => pointer),
  ).toEqual(["/roles/Planner!", "/missing_prompt_behavior"]);
  expect(refused({ version: 1, roles: {}, runtime: { provider_config_env: "sk-secret value" } }).details).toMatchObject({
    field: "/runtime/provider_config_env",
  });
});

test("an unknown provider has its own code", () => {
  expect(refused({ version: 1, roles: {}, runtime: { default_provider: "gpt" } }).code).toBe("unsupported_agent_provider");
  expect(refused({ version: 1, roles: {}, runtime: { role_provider_overrides: { qa: { provider: "gpt" } } } }).code).toBe(
    "unsupported_agent_provider",
  );
});

test.each(["/etc/passwd", "../prompt.md", "slipway/../../prompt.md", ".git/config"])("a prompt at %s is refused unread", (path) => {
  expect(refused({ version: 1, roles: { planner: { system_prompt_path: path } } }).code).toBe("path_out_of_bounds");
});

test("a custom command has at least one word, and defaults to half an hour and no folder", () => {
  expect(read({ version: 1, roles: {}, runtime: { custom: { command: ["x"] } } }).runtime.custom).toEqual({
    command: ["x"],
    timeout_seconds: 1800,
    works: "prompt",
    programs: [],
    hosts: [],
  });
  expect(refused({ version: 1, roles: {}, runtime: { custom: { command: [] } } }).details).toMatchObject({
    field: "/runtime/custom/command",
  });
});
