import { expect, test } from "vitest";
import { roleModels } from "./role-models.ts";

const fallback = { provider: "claude", model: "claude-sonnet-4-5" };
const withConfig = (text: string | null) => roleModels(async () => text);

test("[CRI-150] without a configuration every role has the default routing, and none is named", async () => {
  expect(await withConfig(null)).toEqual({
    architect: { named: null, usual: { provider: "claude", model: "claude-opus-4-5" } },
    auditor: { named: null, usual: { provider: "opencode", model: "openrouter/kimi-k2", fallback } },
    structurer: { named: null, usual: { provider: "claude", model: "claude-sonnet-4-5" } },
    worker: { named: null, usual: { provider: "opencode", model: "openrouter/minimax-m2", fallback } },
  });
});

test("[CRI-143] a model of the configuration is named for its role alone", async () => {
  const { worker, auditor } = await withConfig('[models]\nworker = "kimi-k2"\n[models.endpoints]\nkimi = "groq"\n');
  expect(worker?.named).toEqual({ provider: "opencode", model: "groq/kimi-k2", fallback });
  expect(auditor?.named).toBeNull();
});

test("[CRI-061] a fallback tier is named only by its own key, for the role that plays it", async () => {
  const models = await withConfig('[models]\nworker_fallback_2 = "kimi-k2"\n');
  expect(Object.keys(models)).toEqual(["architect", "auditor", "structurer", "worker", "worker_fallback_2"]);
  expect(models["worker_fallback_2"]).toMatchObject({ role: "architect", named: { provider: "opencode", model: "openrouter/kimi-k2" } });
  expect(models["architect"]?.named).toBeNull();
});
