import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAgents } from "@slipway/kernel/config/agents";
import { describe, expect, test } from "vitest";
import { CLIENTS } from "../clients/catalog.ts";
import { openProvider } from "../open.ts";
import { refusalOf, REQUEST, scratch } from "../testing/samples.ts";
import { KNOWN_AGENTS } from "./agents.ts";
import { agentFor } from "./open.ts";

/** A folder on the PATH with programs that do nothing. */
function machine(...programs: readonly string[]) {
  const folder = scratch("bin");
  for (const program of programs) {
    writeFileSync(join(folder, program), "#!/bin/sh\n");
    chmodSync(join(folder, program), 0o755);
  }
  return folder;
}
const yaml = (acp: string) => parseAgents("slipway/agents.yaml", `version: 1\nroles: {}\nruntime:\n  acp:\n${acp}`);
function agent(name: string, acp: string, env: Record<string, string>, configEnv: string | null = null) {
  return agentFor({ agents: yaml(acp), env, root: "/repo", cwd: "/repo" }, { provider: `acp:${name}`, model: null, configEnv });
}

describe("an agent of agents.yaml", () => {
  test("is started with its configuration, and gets what it names and no more", async () => {
    const bin = machine("mine");
    const env = { PATH: `relative:${bin}`, KEY: "k", OTHER: "o", CHOSEN: "c", LANG: "C" };
    const config =
      "    mine: { command: [mine, --stdio], env: [KEY, UNSET], programs: [tools, /opt/x], hosts: ['h:1'], timeout_seconds: 5, mode: m, auth_method: a }\n";
    const { prepare, ...mine } = agent("mine", config, env, "CHOSEN");
    expect(mine).toEqual({
      name: "mine",
      command: [join(bin, "mine"), "--stdio"],
      programs: [bin, "/repo/tools", "/opt/x"],
      keys: ["KEY", "UNSET", "CHOSEN"],
      authMethods: ["a"],
      mode: "m",
      readsItself: false,
      usageLog: null,
      waits: null,
      timeoutMs: 5000,
      install: null,
    });
    expect(await prepare(REQUEST, "/home")).toEqual({
      env: { PATH: `relative:${bin}`, LANG: "C", KEY: "k", CHOSEN: "c" },
      hosts: ["h:1"],
      secrets: ["k", "c"],
      args: [],
      knowsRole: false,
      knowsModel: false,
    });
    expect((await agent("mine", "    mine: { command: [mine] }\n", env).prepare(REQUEST, "/home")).hosts).toEqual([]);
  });

  test("that is unknown is refused with the closest names", async () => {
    const error = await refusalOf(() => agent("nobody", "    mine: { command: [mine] }\n", {}));
    expect(error).toMatchObject({ code: "agent_provider_not_configured", details: { field: "runtime.acp.nobody.command" } });
    expect(error.details.suggested_next_actions[0]).toContain("acp:mine, acp:claude, acp:codex, acp:gemini, acp:opencode");
  });
});

describe.each(Object.entries(KNOWN_AGENTS))("%s", (name, known) => {
  const context = { agents: null, cwd: "/", root: "/" };
  const model = name === "opencode" ? "anthropic/claude-x" : "some-model";
  const selection = { provider: `acp:${name}` as const, model, configEnv: null };
  const [{ variable, as } = { variable: "", as: "" }] = CLIENTS[known.client].keys;

  test("needs no configuration, and gets its key and its own configuration", async () => {
    const env = { PATH: machine(known.command[0]!), [variable]: "the-key", OTHER_KEY: "o", HOME: scratch("nobody") };
    expect(await openProvider({ ...context, env }, selection)).toMatchObject({ name: `acp:${name}`, works: "folder" });
    const home = scratch("home");
    const prepared = await agentFor({ ...context, env }, selection).prepare({ ...REQUEST, model }, home);
    expect(prepared).toMatchObject({ env: { [as]: "the-key", HOME: home, TMPDIR: join(home, "tmp") }, secrets: ["the-key"] });
    expect(prepared.env).not.toHaveProperty("OTHER_KEY");
    expect(prepared.hosts).not.toEqual([]);
    expect(readdirSync(home)).toContain("tmp");
  });

  test("that is not installed or not signed in is reported before anything is paid", async () => {
    const missing = await refusalOf(() => openProvider({ ...context, env: {} }, selection));
    expect(missing.code).toBe("agent_not_installed");
    expect(missing.details.suggested_next_actions[0]).toBe(`Install it: ${known.install}`);
    const env = { PATH: machine(known.command[0]!), HOME: scratch("nobody") };
    expect((await refusalOf(() => openProvider({ ...context, env }, selection))).code).toBe("provider_auth_missing");
  });

  test("may have its models elsewhere, where no key may be needed", async () => {
    const env = { PATH: machine(known.command[0]!), HOME: scratch("nobody") };
    const agents = yaml(`    ${name}: { base_url: 'http://127.0.0.1:8123/v1' }\n`);
    const there = await agentFor({ ...context, agents, env }, selection).prepare({ ...REQUEST, model }, scratch("home"));
    expect(there).toMatchObject({ hosts: ["127.0.0.1:8123"], secrets: [] });
    const walled = yaml(`    ${name}: { base_url: 'http://127.0.0.1:8123/v1', hosts: ['proxy:1'] }\n`);
    expect((await agentFor({ ...context, agents: walled, env }, selection).prepare({ ...REQUEST, model }, scratch("home"))).hosts).toEqual([
      "proxy:1",
    ]);
  });
});

test("a program of a package is mounted with its dependencies and its interpreter", () => {
  const root = scratch("tools");
  const bin = join(root, "bin");
  mkdirSync(join(root, "lib/node_modules/agent/dist"), { recursive: true });
  mkdirSync(bin);
  const script = join(root, "lib/node_modules/agent/dist/index.js");
  writeFileSync(script, "#!/usr/bin/env mynode\n", { mode: 0o755 });
  symlinkSync("../lib/node_modules/agent/dist/index.js", join(bin, "agent"));
  const interpreter = machine("mynode");
  const { programs } = agent("mine", "    mine: { command: [agent] }\n", { PATH: `${bin}:${interpreter}` });
  expect(programs).toEqual([bin, join(root, "lib/node_modules"), interpreter]);
});
