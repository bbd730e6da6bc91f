import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentsSchema } from "@slipway/kernel/config/agents";
import { openProvider, type OpenContext } from "../open.ts";
import type { Selection } from "../select.ts";
import { refusalOf, scratch } from "../testing/samples.ts";
import { CLIENT_NAMES } from "./client.ts";
import { probeClients } from "./probe.ts";

/** A program that only prints its version. */
function program(folder: string, name: string, body: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

function context(runtime: Record<string, unknown>, env: Record<string, string>): OpenContext {
  const root = scratch("clients");
  return { agents: agentsSchema.parse({ version: 1, roles: {}, runtime }), env: { HOME: root, ...env }, root, cwd: root };
}

const select = (provider: Selection["provider"], model: string | null = "some/model", configEnv: string | null = null): Selection => ({
  provider,
  model,
  configEnv,
});

describe.each(CLIENT_NAMES)("%s", (name) => {
  test("is reported as not installed, with the command that installs it", async () => {
    const error = await refusalOf(() => openProvider(context({}, { PATH: "/nowhere" }), select(name)));
    expect(error).toMatchObject({ code: "agent_not_installed", details: { provider: name } });
    expect(error.message).toMatch(/is not installed: there is no program ".*" on the PATH\.$/);
    expect(error.details.suggested_next_actions.join(" ")).toMatch(/npm i -g /);
  });

  test("without a key is refused before any cost, and opens with one", async () => {
    const bin = scratch("bin");
    program(bin, name, "echo 1.2.3");
    const without = context({}, { PATH: bin });
    expect(await refusalOf(() => openProvider(without, select(name)))).toMatchObject({ code: "provider_auth_missing" });
    const opened = await openProvider({ ...without, env: { ...without.env, MY_KEY: "k" } }, select(name, "some/model", "MY_KEY"));
    expect(opened).toMatchObject({ name, works: "folder" });
  });
});

test("the configured command comes before the PATH, and is named if it does not exist", async () => {
  const elsewhere = program(join(scratch("bin"), "own"), "my-claude", "echo 9.9.9");
  const runtime = { claude: { command: [elsewhere, "--quiet"], timeout_seconds: 5, base_url: "http://127.0.0.1:1" } };
  const env = { PATH: "/nowhere", ANTHROPIC_API_KEY: "k" };
  expect(await openProvider(context(runtime, env), select("claude"))).toMatchObject({ name: "claude" });
  const [claude] = await probeClients(context({ claude: { command: [elsewhere] } }, { PATH: "/bin" }));
  expect(claude).toMatchObject({ program: elsewhere, version: "9.9.9" });
  const missing = await refusalOf(() => openProvider(context({ claude: { command: ["/no/such/claude"] } }, env), select("claude")));
  expect(missing.message).toContain('there is no program "/no/such/claude"');
});

test("opencode with self-hosted models needs no key", async () => {
  const bin = scratch("bin");
  program(bin, "opencode", "echo 1");
  const opened = await openProvider(context({ opencode: { base_url: "http://127.0.0.1:11434/v1" } }, { PATH: bin }), select("opencode"));
  expect(opened.name).toBe("opencode");
});

describe("probeClients", () => {
  test("reports what is installed, its version, and how to fix the rest", async () => {
    const bin = scratch("bin");
    program(bin, "claude", 'echo "2.1.325 (Claude Code)"');
    program(bin, "codex", "echo 'codex-cli 0.166.0'");
    program(bin, "gemini", "echo 'native binary not installed' >&2; exit 1");
    const probed = await probeClients(
      context({}, { PATH: [bin, "/bin", dirname(process.execPath)].join(delimiter), ANTHROPIC_API_KEY: "k" }),
    );
    expect(
      probed.map(({ name, installed, version, keyPresent, signedIn }) => ({ name, installed, version, keyPresent, signedIn })),
    ).toEqual([
      { name: "claude", installed: true, version: "2.1.325", keyPresent: "ANTHROPIC_API_KEY", signedIn: false },
      { name: "codex", installed: true, version: "0.166.0", keyPresent: null, signedIn: false },
      { name: "gemini", installed: false, version: null, keyPresent: null, signedIn: false },
      { name: "opencode", installed: false, version: null, keyPresent: "ANTHROPIC_API_KEY", signedIn: false },
    ]);
    const [claude, codex, gemini, opencode] = probed;
    expect(claude?.fix).toEqual([]);
    expect(codex?.fix).toEqual(["codex has no key and no sign-in: Run `codex login`. Or set CODEX_API_KEY or OPENAI_API_KEY."]);
    expect(gemini?.fix[0]).toBe("gemini is installed but does not start (native binary not installed): npm i -g @google/gemini-cli");
    expect(opencode?.fix).toEqual(["opencode is not installed: npm i -g opencode-ai"]);
    expect(JSON.stringify(probed)).not.toMatch(/ENOENT/);
  });

  test("recognises a sign-in; a program that prints no version is no client", async () => {
    const bin = scratch("bin");
    program(bin, "claude", "echo hello");
    const place = context({}, { PATH: `${bin}:/bin` });
    mkdirSync(join(place.root, ".claude"));
    const login = { claudeAiOauth: { accessToken: "at", expiresAt: Date.now() + 60_000 } };
    writeFileSync(join(place.root, ".claude", ".credentials.json"), JSON.stringify(login));
    const [claude] = await probeClients(place);
    expect(claude).toMatchObject({ installed: false, signedIn: true, keyPresent: null });
    expect(claude?.fix).toEqual(["claude is installed but does not start: npm i -g @anthropic-ai/claude-code"]);
  });
});
