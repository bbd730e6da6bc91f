import { expect, test } from "vitest";
import type { RunAgents } from "../../dispatch/run-agents.ts";
import { agentFor, changeFor, measuredModels, readWish, readWishes } from "./models.ts";

const agent = (provider: string, model: string | null) => ({ provider, model, provider_config_env: null });
const AGENTS: RunAgents = {
  worker: agent("opencode", "openrouter/minimax-m2"),
  structurer: agent("claude", "claude-sonnet-4-5"),
  architect: agent("claude", null),
  auditor: agent("claude", null),
};

test("[CRI-197] a model is chosen as criticality.toml would choose it: by its family and endpoints", async () => {
  const config = '[models]\nworker = "minimax-m2"\n[models.endpoints]\nkimi = "moonshot"\n';
  const choice = (text: string) => agentFor(readWish("--candidate", text), config);
  expect(await choice("worker=claude-haiku-4-5")).toEqual(agent("claude", "claude-haiku-4-5"));
  expect(await choice("worker=kimi-k2")).toEqual(agent("opencode", "moonshot/kimi-k2"));
  expect(await choice("worker_model=vendor/glm-5:free")).toEqual(agent("opencode", "openrouter/vendor/glm-5:free"));
  expect(await agentFor(readWish("--candidate", "worker=glm-5"), null)).toEqual(agent("opencode", "openrouter/glm-5"));
});

test("a provider may be named, with or without a model", async () => {
  const choice = (text: string) => agentFor(readWish("--model", text), null);
  expect(await choice("worker=api:big:1")).toEqual(agent("api", "big:1"));
  expect(await choice("worker=acp:mine")).toEqual(agent("acp:mine", null));
  expect(await choice("worker=codex")).toEqual(agent("codex", null));
});

test("several models are separated by commas", () => {
  expect(readWishes("--model", "worker=a, architect_model=b").map(({ role, tier, model }) => [role, tier, model])).toEqual([
    ["worker", "worker", "a"],
    ["architect", "fallback2", "b"],
  ]);
});

test("the models of a result are those that can be called from the first tier on", () => {
  expect(measuredModels(AGENTS, "worker")).toEqual({
    worker: "opencode:openrouter/minimax-m2",
    structurer: "claude:claude-sonnet-4-5",
    architect: "claude",
  });
  expect(measuredModels(AGENTS, "fallback2")).toEqual({ architect: "claude" });
});

test("[CRI-197] the change to make is in criticality.toml, or in agents.yaml where that decides", async () => {
  const change = async (text: string, overrides: Record<string, object> = {}) => {
    const wish = readWish("--candidate", text);
    const agents = { runtime: { role_provider_overrides: overrides } } as unknown as Parameters<typeof changeFor>[2];
    return changeFor(wish, await agentFor(wish, null), agents);
  };
  expect(await change("worker=glm-5")).toBe('in slipway/criticality.toml, below [models]: worker = "glm-5"');
  expect(await change("worker=api:big")).toBe(
    'in slipway/agents.yaml, below runtime.role_provider_overrides: criticality/worker: { provider: api, model: "big" }',
  );
  expect(await change("worker=claude-haiku-4-5", { "criticality/worker": { provider: "codex" } })).toBe(
    'in slipway/agents.yaml, below runtime.role_provider_overrides: criticality/worker: { provider: claude, model: "claude-haiku-4-5" }',
  );
  expect(await change("worker=codex")).toContain("criticality/worker: { provider: codex }");
});
