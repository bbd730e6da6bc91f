import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parseAgents } from "@slipway/kernel/config/agents";
import { expect, onTestFinished, test } from "vitest";
import { probeProviders } from "./probe.ts";
import { scratch } from "./testing/samples.ts";

/** A machine with only these programs. */
function machine(programs: Readonly<Record<string, string>>) {
  const root = scratch("machine");
  const bin = join(root, "bin");
  mkdirSync(bin);
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return { root, env: { PATH: bin, HOME: root } };
}

async function probe(runtime: object | null, programs: Readonly<Record<string, string>> = {}, more: Readonly<Record<string, string>> = {}) {
  const { root, env } = machine(programs);
  const agents = runtime === null ? null : parseAgents("slipway/agents.yaml", JSON.stringify({ version: 1, roles: {}, runtime }));
  const found = await probeProviders({ agents, env: { ...env, ...more }, root });
  return (name: string) => found.find((one) => one.name === name);
}

test("nothing installed and nothing configured: every row has a fix", async () => {
  const of = await probe(null);
  expect(of("claude")).toMatchObject({ ready: false, version: null, access: "no key and no sign-in" });
  expect(of("claude")?.fix[0]).toBe("claude is not installed: npm i -g @anthropic-ai/claude-code");
  expect(of("api (anthropic)")).toMatchObject({ ready: false, access: "no key in ANTHROPIC_API_KEY" });
  expect(of("acp:codex")?.fix).toEqual(["codex-acp is not installed: npm i -g @agentclientprotocol/codex-acp"]);
  expect(of("custom")).toMatchObject({ ready: false, fix: [expect.stringContaining("runtime.custom.command")] });
  expect(of("manual")).toMatchObject({ ready: true, fix: [] });
  expect(of("replay")).toMatchObject({ ready: true, access: "recorded answers, with --cassette FOLDER" });
});

test("installed providers have version, sign-in and some models", async () => {
  const runtime = { custom: { command: ["agent"] }, replay: { cassette: "tapes" }, acp: { mine: { command: ["agent"] }, odd: {} } };
  const programs = { claude: "echo '2.1.325 (Claude Code)'", agent: "true" };
  const of = await probe(runtime, programs, { ANTHROPIC_API_KEY: "sk-ant-secret" });
  expect(of("claude")).toMatchObject({ ready: true, version: "2.1.325", access: "key in ANTHROPIC_API_KEY", fix: [] });
  expect(of("claude")?.models.length).toBeGreaterThan(0);
  expect(of("api (anthropic)")?.models[0]).toMatch(/^anthropic\/claude-/);
  expect(of("opencode")?.models).toEqual([]);
  expect(of("custom")).toMatchObject({ ready: true });
  expect(of("acp:mine")).toMatchObject({ ready: true, access: "configured by itself" });
  expect(of("acp:odd")).toMatchObject({ ready: false });
  expect(of("replay")).toMatchObject({ access: "recorded answers from tapes" });
});

test("a sign-in, and a missing program", async () => {
  const home = scratch("home");
  mkdirSync(join(home, ".claude"));
  const login = { claudeAiOauth: { accessToken: "token", expiresAt: 9e15 } };
  writeFileSync(join(home, ".claude", ".credentials.json"), JSON.stringify(login));
  const of = await probe({ custom: { command: ["gone"] } }, { claude: "echo 2.1.325" }, { HOME: home });
  expect(of("claude")).toMatchObject({ ready: true, access: "signed in" });
  expect(of("custom")).toMatchObject({ ready: false, fix: [expect.stringMatching(/^gone is not installed/)] });
});

test("models on this machine are listed; no other host is contacted", async () => {
  const server = createServer((request, response) => response.end(request.url === "/v1/models" ? '{"data":[{"id":"qwen3"}]}' : "[]"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const local = (base_url: string) => ({ kind: "openai-compatible", base_url });
  const endpoints = {
    here: local(`${at}/v1`),
    odd: local(`${at}/odd`),
    gone: local("http://127.0.0.1:9/v1"),
    far: local("https://m.example/v1"),
  };
  const of = await probe({ api: { endpoints } });
  expect(of("api (here)")).toMatchObject({ ready: true, models: ["here/qwen3"], access: "no key needed, on this machine" });
  expect(of("api (odd)")).toMatchObject({ ready: true, models: [] });
  expect(of("api (gone)")).toMatchObject({ ready: false, fix: ["No server answers at http://127.0.0.1:9/v1: start gone there."] });
  expect(of("api (far)")).toMatchObject({ ready: true, access: "no key needed" });
});
