import { createPack } from "@slipway/agents/pack";
import { openScratchKernel, POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { retryAnswer } from "@slipway/protocols/dispatch/retry-answer";
import type { RunAgents } from "@slipway/protocols/dispatch/run-agents";
import type { Caller } from "@slipway/protocols/surface/caller";
import { expect, onTestFinished, test } from "vitest";
import { agentsNow, dispatcherFor } from "./agents.ts";

/** A repository with this `slipway/criticality.toml`, on a machine without any agent. */
async function scene(config: string) {
  const scratch = await openScratchKernel({ "slipway/policy.yaml": POLICY, "slipway/criticality.toml": config });
  onTestFinished(() => scratch.close());
  const { kernel } = scratch;
  const io = { cwd: kernel.repository.root, env: { PATH: "" } } as unknown as Caller;
  const warnings: string[] = [];
  const dispatcher = dispatcherFor({
    kernel,
    io,
    choice: {},
    protocol: () => "criticality",
    recorded: () => null,
    onWarning: (text) => void warnings.push(text),
  });
  const call = (modelKey?: string) => {
    const actor = { type: "orchestrator", id: "test" } as const;
    return dispatcher.invoke({
      role: "structurer",
      subject: "f",
      runId: "r",
      attempt: "1",
      modelKey,
      pack: createPack([]),
      instructions: "",
      schema: retryAnswer,
      call: { actor, operationId: `r/${modelKey ?? "role"}` },
    });
  };
  return { kernel, io, call, warnings };
}

const FALLBACK = '[models]\nworker_fallback_1 = "kimi-k2"\n';

test("[CRI-061] worker_fallback_1 and worker_fallback_2 are recorded with a run as models of their own", async () => {
  const { kernel, io } = await scene(`${FALLBACK}worker_fallback_2 = "claude-opus-9"\n`);
  const agents = await agentsNow({ kernel, io, choice: {}, protocol: "criticality" });
  expect(agents).toMatchObject({
    structurer: { provider: "claude", model: "claude-sonnet-4-5" },
    architect: { provider: "claude", model: "claude-opus-4-5" },
    worker_fallback_1: { provider: "opencode", model: "openrouter/kimi-k2" },
    worker_fallback_2: { provider: "claude", model: "claude-opus-9" },
  });
});

test("[CRI-061] a call in a fallback tier goes to the model of the tier, another call of the same role to the role's", async () => {
  const { call, warnings } = await scene(FALLBACK);
  await call();
  expect(warnings).toEqual([]);
  // opencode is missing here, so that its fallback is called.
  await call("worker_fallback_1");
  expect(warnings).toEqual([expect.stringMatching(/opencode/)]);
});

test("[CRI-061] without the key a fallback tier has the model of its role", async () => {
  const { kernel, io, call, warnings } = await scene("");
  expect(Object.keys(await agentsNow({ kernel, io, choice: {}, protocol: "criticality" }))).toEqual([
    "architect",
    "auditor",
    "structurer",
    "worker",
  ]);
  expect(await call("worker_fallback_1")).toMatchObject({ ok: false, failure: { details: { provider: "claude" } } });
  expect(warnings).toEqual([]);
});

test("a request names the protocol of its role: its definition, its keys in agents.yaml, and its recorded agent apply", async () => {
  const agents = "version: 1\nroles: {}\nruntime: { role_provider_overrides: { factory/planner: { provider: codex, model: five } } }\n";
  const scratch = await openScratchKernel({ "slipway/policy.yaml": POLICY, "slipway/agents.yaml": agents });
  onTestFinished(() => scratch.close());
  const { kernel } = scratch;
  const run = async (protocol: string | undefined, recorded: RunAgents | null) => {
    const dispatcher = dispatcherFor({
      kernel,
      io: { cwd: kernel.repository.root, env: { PATH: "" } } as unknown as Caller,
      choice: {},
      protocol: () => "features",
      recorded: () => recorded,
      onWarning: () => undefined,
    });
    const operationId = `r/${protocol}/${JSON.stringify(recorded)}`;
    const reply = await dispatcher.invoke({
      role: "planner",
      ...(protocol === undefined ? {} : { protocol }),
      subject: "f",
      runId: "r",
      attempt: "1",
      pack: createPack([]),
      instructions: "",
      schema: retryAnswer,
      call: { actor: { type: "orchestrator", id: "test" }, operationId },
    });
    if (reply.ok) throw new Error("There is no agent on this machine.");
    return reply.failure.message;
  };
  const agent = (provider: string) => ({ provider, model: "m", provider_config_env: null });
  expect(await run("factory", null)).toMatch(/^Codex is not installed/);
  expect(await run("factory", { planner: agent("gemini") })).toMatch(/^Codex/);
  expect(await run("factory", { planner: agent("gemini"), "factory/planner": agent("opencode") })).toMatch(/^opencode/);
  expect(await run(undefined, { planner: agent("gemini") })).toMatch(/^Gemini/);
  expect(await run("features", { planner: agent("gemini") })).toMatch(/^Gemini/);
});
