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
