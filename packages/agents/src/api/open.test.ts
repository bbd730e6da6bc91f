import { parseAgents } from "@slipway/kernel/config/agents";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openProvider } from "../open.ts";
import { startModelServer, type ModelServer } from "../testing/model-server/server.ts";
import { NEVER, refusalOf, REQUEST } from "../testing/samples.ts";

let server: ModelServer;
beforeAll(async () => void (server = await startModelServer(() => ({ output: {}, usage: { input: 1_000_000, output: 100_000 } }))));
afterAll(() => server.close());

function agents(more = "") {
  return parseAgents(
    "slipway/agents.yaml",
    `version: 1
roles: {}
runtime:
  api:
    endpoints:
      anthropic: { kind: anthropic, base_url: "${server.baseUrls.anthropic}" }
      ollama: { kind: openai-compatible, base_url: "${server.baseUrls.chat}" }
      other: { kind: openai, base_url: "${server.baseUrls.responses}", key_env: OTHER_KEY }
${more}`,
  );
}

const open = (model: string | null, env: Record<string, string>, configEnv: string | null = null, more = "") =>
  openProvider({ agents: agents(more), env, root: "/", cwd: "/" }, { provider: "api", model, configEnv });

test("a missing model, endpoint or key is reported before any request", async () => {
  expect(await refusalOf(() => open(null, {}))).toMatchObject({ code: "agent_provider_not_configured" });
  expect(await refusalOf(() => open("nobody/x", {}))).toMatchObject({ code: "agent_provider_not_configured" });
  expect(await refusalOf(() => open("anthropic/claude-haiku-4-5", {}))).toMatchObject({ code: "provider_auth_missing" });
  expect(server.calls).toEqual([]);
});

test("the cost of a call comes from the price table", async () => {
  const provider = await open("anthropic/claude-haiku-4-5", { ANTHROPIC_API_KEY: "key-of-anthropic" });
  const reply = await provider.invoke({ ...REQUEST, model: "anthropic/claude-haiku-4-5" }, NEVER);
  expect(reply.usage.cost_usd).toBeCloseTo(1 + 0.5);
  expect(reply.warnings).toBe(undefined);
});

test("prices in agents.yaml come first, and the own machine costs nothing", async () => {
  const provider = await open("ollama/qwen3", {}, null, "  prices:\n    other/gpt-5: { input: 2, output: 20 }\n");
  expect((await provider.invoke({ ...REQUEST, model: "ollama/qwen3" }, NEVER)).usage.cost_usd).toBe(0);
  expect(await refusalOf(() => provider.invoke({ ...REQUEST, model: "other/gpt-5" }, NEVER))).toMatchObject({
    code: "provider_auth_missing",
  });
  const other = await open(
    "other/gpt-5",
    { OTHER_KEY: "key-of-the-other" },
    null,
    "  prices:\n    other/gpt-5: { input: 2, output: 20 }\n",
  );
  expect((await other.invoke({ ...REQUEST, model: "other/gpt-5" }, NEVER)).usage.cost_usd).toBeCloseTo(4);
});

test("the run's variable is used only for its model's endpoint", async () => {
  const provider = await open("anthropic/claude-haiku-4-5", { MINE: "my-own-key-1", OTHER_KEY: "key-of-the-other" }, "MINE");
  await provider.invoke({ ...REQUEST, model: "anthropic/claude-haiku-4-5" }, NEVER);
  expect(server.requests.at(-1)?.headers["x-api-key"]).toBe("my-own-key-1");
  await provider.invoke({ ...REQUEST, model: "other/gpt-5" }, NEVER);
  expect(JSON.stringify(server.requests.at(-1)?.headers)).not.toContain("my-own-key-1");
});

test("an endpoint without a key gets none from the environment", async () => {
  const provider = await open("ollama/qwen3", { OPENAI_API_KEY: "not-for-ollama" });
  await provider.invoke({ ...REQUEST, model: "ollama/qwen3" }, NEVER);
  expect(server.requests.at(-1)?.headers.authorization).toBe(undefined);
});
