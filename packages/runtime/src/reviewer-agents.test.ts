import { createPack } from "@slipway/agents/pack";
import { openScratchKernel, POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { retryAnswer } from "@slipway/protocols/dispatch/retry-answer";
import type { Caller } from "@slipway/protocols/surface/caller";
import { expect, onTestFinished, test } from "vitest";
import { agentsNow, dispatcherFor } from "./agents.ts";

const AGENTS = `version: 1
roles: {}
runtime:
  default_provider: opencode
  role_provider_overrides:
    forge/adversarial-reviewer: { provider: claude, model: role-model }
    forge/adversarial-reviewer/security: { provider: codex, model: security-model }
    forge/adversarial-reviewer/architecture: { provider: gemini, model: architecture-model }
`;

/** On a machine without any agent: the failure names the one that was called. */
async function machine(files: Readonly<Record<string, string>>) {
  const { kernel, close } = await openScratchKernel({ "slipway/policy.yaml": POLICY, ...files });
  onTestFinished(close);
  const io = { cwd: kernel.repository.root, env: { PATH: "" } } as unknown as Caller;
  const dispatcher = dispatcherFor({ kernel, io, choice: {}, protocol: () => "forge", recorded: () => null, onWarning: () => undefined });
  const called = async (modelKey: string | undefined) => {
    const reply = await dispatcher.invoke({
      role: "adversarial-reviewer",
      subject: "f",
      runId: "r",
      attempt: "1",
      modelKey,
      pack: createPack([]),
      instructions: "",
      schema: retryAnswer,
      call: { actor: { type: "orchestrator", id: "test" }, operationId: `r/${modelKey ?? "role"}` },
    });
    return reply.ok ? "" : reply.failure.message.split(" ")[0];
  };
  return { kernel, io, called };
}

const KEYS = ["security", "architecture", "correctness"].map((focus) => `adversarial-reviewer/${focus}`);

test("[FOR-099] reviewers of mixed providers are recorded with a run by their keys, and one without a key of its own is its role", async () => {
  const { kernel, io } = await machine({ "slipway/agents.yaml": AGENTS });
  const agents = await agentsNow({ kernel, io, choice: {}, protocol: "forge" });
  expect(agents).toMatchObject({
    "adversarial-reviewer": { provider: "claude", model: "role-model" },
    "adversarial-reviewer/security": { provider: "codex", model: "security-model" },
    "adversarial-reviewer/architecture": { provider: "gemini", model: "architecture-model" },
    "adversarial-reviewer/correctness": { provider: "claude", model: "role-model" },
    designer: { provider: "opencode" },
  });
});

test("[FOR-099][FOR-107] the call of each reviewer goes to the provider of its key, and one without a key to that of the role", async () => {
  const { called } = await machine({ "slipway/agents.yaml": AGENTS });
  expect(await Promise.all([...KEYS, undefined].map(called))).toEqual(["Codex", "Gemini", "Claude", "Claude"]);
});

test("[FOR-099] without a configuration the three reviewers have three providers", async () => {
  const { called } = await machine({});
  expect(await Promise.all(KEYS.map(called))).toEqual(["Codex", "Gemini", "Claude"]);
});
