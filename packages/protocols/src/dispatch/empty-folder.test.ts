import { readdirSync } from "node:fs";
import { createPack } from "@slipway/agents/pack";
import type { Provider, ProviderRequest } from "@slipway/agents/provider";
import { parseRole } from "@slipway/agents/role";
import { openScratchKernel, type ScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { openDispatcher } from "./dispatcher.ts";

const ROLE = parseRole("judge.md", "---\nname: judge\ntier: fast\ntools: []\nwrite_grant: none\noutput: VERDICT\n---\nJudge.\n");

let scratch: ScratchKernel;
beforeEach(async () => void (scratch = await openScratchKernel()));
afterEach(() => scratch.close());

/** Asks a provider for an answer that needs no file. Returns the request, and the files it had. */
async function askWith(needsFolder: true | undefined) {
  const seen: { request: ProviderRequest; files: string[] | null }[] = [];
  const provider: Provider = {
    name: "client",
    works: "folder",
    ...(needsFolder === undefined ? {} : { needsFolder }),
    async invoke(request) {
      seen.push({ request, files: request.workplace === null ? null : readdirSync(request.workplace.folder) });
      return { text: '{"verdict":"good"}', usage: { input_tokens: 1, output_tokens: 1, cost_usd: 0 }, model: null };
    },
  };
  const dispatcher = openDispatcher({
    kernel: scratch.kernel,
    protocol: () => "features",
    role: async () => ROLE,
    provider: async () => ({ provider, model: null }),
    onWarning: () => undefined,
  });
  const reply = await dispatcher.invoke({
    role: "judge",
    subject: "poem",
    attempt: "1",
    pack: createPack([{ title: "poem.txt", kind: "file", text: "roses are red" }]),
    instructions: "Judge the poem.",
    schema: z.strictObject({ verdict: z.string() }),
    runId: "run1",
    call: { actor: { type: "system", id: "run1" }, operationId: "run1/judge" },
  });
  return { reply, ...(seen[0] as (typeof seen)[number]) };
}

test("a client that cannot work without a folder gets an empty one for a request without files", async () => {
  const { reply, files, request } = await askWith(true);
  expect([reply, files]).toEqual([{ ok: true, value: { verdict: "good" } }, []]);
  expect(request.prompt).toContain("roses are red");
});

test("another provider is asked without a folder", async () => {
  expect((await askWith(undefined)).files).toBeNull();
});

test("[FOR-018] a request can take a tool away from its role, and leaves the others", async () => {
  const seen: ProviderRequest[] = [];
  const provider: Provider = {
    name: "client",
    works: "prompt",
    async invoke(request) {
      seen.push(request);
      return { text: '{"verdict":"good"}', usage: { input_tokens: 1, output_tokens: 1, cost_usd: 0 }, model: null };
    },
  };
  const role = { ...ROLE, tools: ["read_file", "grep_search", "run_in_terminal"] };
  const dispatcher = openDispatcher({
    kernel: scratch.kernel,
    protocol: () => "features",
    role: async () => role,
    provider: async () => ({ provider, model: null }),
    onWarning: () => undefined,
  });
  const ask = (step: string, more: object) =>
    dispatcher.invoke({
      role: "judge",
      subject: "poem",
      attempt: step,
      pack: createPack([]),
      instructions: "Judge the poem.",
      schema: z.strictObject({ verdict: z.string() }),
      runId: "run1",
      call: { actor: { type: "system", id: "run1" }, operationId: `run1/${step}` },
      ...more,
    });
  await ask("1", {});
  await ask("2", { withoutTools: ["run"] });
  expect(seen.map(({ tools }) => tools.includes("run"))).toEqual([true, false]);
  expect(seen.map(({ tools }) => tools.includes("grep"))).toEqual([true, true]);
});
