import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseAgents } from "@slipway/kernel/config/agents";
import { describe, expect, test } from "vitest";
import { scriptedAgent } from "./acp/testing/opened.ts";
import { plainWorkplace } from "./acp/testing/workplace.ts";
import { agentEnvironment, customProvider, openCustom } from "./custom.ts";
import type { AgentProcess } from "./process/contract.ts";
import type { AgentEvent, Provider } from "./provider.ts";
import { GREETING, type Behaviour } from "./testing/provider-suite-cases.ts";
import { providerSuite } from "./testing/provider-suite.ts";
import { NEVER, refusalOf, REQUEST, scratch } from "./testing/samples.ts";

const HEAD = `
import { readFileSync, writeFileSync, appendFileSync } from "node:fs";
import { spawn } from "node:child_process";
const request = JSON.parse(readFileSync(0, "utf8"));
const reply = (value, then = () => {}) => process.stdout.write(JSON.stringify(value), then);
const tell = (event) => process.stdout.write(JSON.stringify({ event }) + "\\n");
`;

function commandFor(code: string): string[] {
  const file = join(scratch("custom"), "agent.mjs");
  writeFileSync(file, HEAD + code);
  return [process.execPath, file];
}

/** A custom command with this behaviour. */
function codeFor(behaviour: Behaviour, marks: string): string {
  const pid = `appendFileSync(${JSON.stringify(join(marks, "pids"))}, process.pid + "\\n");`;
  const reached = `writeFileSync(${JSON.stringify(join(marks, "reached"))}, "yes");`;
  switch (behaviour.does) {
    case "answer":
      return `const answers = ${JSON.stringify(behaviour.answers)}; reply({ text: answers[Math.min(request.repair, answers.length - 1)] });`;
    case "refuse":
      return `reply({ error: "I would rather not", code: "agent_refused" });`;
    case "read":
      return `const output = readFileSync(${JSON.stringify(behaviour.path)}, "utf8"); tell({ kind: "tool", name: "read", input: { path: ${JSON.stringify(behaviour.path)} }, output }); reply({ text: ${JSON.stringify(behaviour.answer)} });`;
    case "write":
      return `writeFileSync(${JSON.stringify(behaviour.path)}, ${JSON.stringify(behaviour.content)}); reply({ text: ${JSON.stringify(behaviour.answer)} });`;
    case "hang":
      return `${pid} ${reached} setTimeout(() => {}, 600000);`;
    case "hang with a child":
      return `${pid} const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 600000)"]); appendFileSync(${JSON.stringify(join(marks, "pids"))}, child.pid + "\\n"); ${reached} setTimeout(() => {}, 600000);`;
    case "rate limit":
      return `reply({ error: "slow down", code: "rate_limited", wake_at: Date.now() + ${behaviour.retryAfterSeconds ?? 0} * 1000 });`;
    case "out of quota":
      return `reply({ error: "no credit", code: "quota_exhausted" }, () => process.exit(1));`;
    case "no credentials":
      return `reply({ error: "no key", code: "provider_auth_missing" });`;
    case "crash":
      return `process.stderr.write("the worker is lost", () => process.exit(70));`;
    case "break off":
      return `process.stdout.write('{"text":"hal');`;
    case "answer and be killed":
      return `reply({ text: ${JSON.stringify(behaviour.answer)} }, () => process.kill(process.pid, "SIGKILL")); setTimeout(() => {}, 60000);`;
    case "exit 0 silently":
      return "";
    case "flood":
      return `const chunk = "x".repeat(65536); const more = () => { while (process.stdout.write(chunk)); process.stdout.once("drain", more); }; more();`;
  }
}

for (const works of ["prompt", "folder"] as const) {
  providerSuite({
    name: `custom, ${works}`,
    ...(works === "prompt"
      ? { cannot: { "tool use": "it is given no files", "file edits returned as a patch": "it is given no files" } }
      : {}),
    async open(behaviour) {
      const { noted, reached, survivors, marks } = scriptedAgent({ acts: [] });
      const workplace = works === "folder" ? plainWorkplace({ [GREETING.path]: GREETING.text }) : null;
      const after = () => (workplace === null ? GREETING.text : readFileSync(join(workplace.folder, GREETING.path), "utf8"));
      const provider = customProvider({
        command: commandFor(codeFor(behaviour, marks)),
        timeoutMs: 60_000,
        env: agentEnvironment(process.env),
        works,
        maxOutputBytes: 1_000_000,
      });
      expect(noted("pids")).toEqual([]);
      return {
        provider,
        workplace,
        patch: async () => (after() === GREETING.text ? "" : `--- a\n+++ b\n-${GREETING.text}+${after()}`),
        reached,
        survivors,
        close: async () => undefined,
      };
    },
  });
}

describe("as agents.yaml configures it", () => {
  const agents = (custom: string) => parseAgents("slipway/agents.yaml", `version: 1\nroles: {}\nruntime:\n  custom: ${custom}\n`);
  const selection = { provider: "custom" as const, model: null, configEnv: "KEY" };
  const opened = (custom: string, env: Record<string, string | undefined>) =>
    openCustom({ agents: agents(custom), env, root: "/", cwd: "/" }, selection);

  test("in a folder it gets the program's own folder, the named ones, its host and its key", async () => {
    const seen: AgentProcess[] = [];
    const command = commandFor("");
    const folder = dirname(command[1]!);
    writeFileSync(join(folder, "mine"), "#!/bin/sh\n", { mode: 0o755 });
    const provider = await opened("{ command: [mine, -x], works: folder, programs: [opt/tools], hosts: ['h:1'] }", {
      PATH: folder,
      KEY: "hunter2",
      OTHER: "o",
    });
    expect(provider.works).toBe("folder");
    const run = (agent: AgentProcess) => {
      seen.push(agent);
      return Promise.resolve({ kind: "exit" as const, exitCode: 1, stderr: "key hunter2", durationMs: 1 });
    };
    const error = await refusalOf(() => provider.invoke({ ...REQUEST, workplace: { ...plainWorkplace({}), run } }, NEVER));
    expect(error.message).toContain("key [secret]");
    expect(seen[0]).toMatchObject({
      command: [join(folder, "mine"), "-x"],
      programs: [folder, "/opt/tools"],
      hosts: ["h:1"],
      env: { PATH: folder, KEY: "hunter2" },
      input: expect.stringContaining('"role":"planner"'),
    });
  });

  test("it may be missing, which is reported", async () => {
    const provider = await opened("{ command: [nowhere-at-all], works: folder }", { KEY: undefined });
    const error = await refusalOf(() => provider.invoke({ ...REQUEST, workplace: plainWorkplace({}) }, NEVER));
    expect(error.code).toBe("agent_not_installed");
    const context = { agents: null, env: {}, root: "/", cwd: "/" };
    expect((await refusalOf(() => openCustom(context, { ...selection, configEnv: null }))).code).toBe("agent_provider_not_configured");
    expect((await openCustom({ ...context, agents: agents("{ command: [x] }") }, { ...selection, configEnv: null })).works).toBe("prompt");
  });
});

describe("optional output of a command", () => {
  const saying = (code: string): Provider =>
    customProvider({ command: commandFor(code), timeoutMs: 20_000, env: agentEnvironment(process.env) });
  const refusal = (reply: unknown) => refusalOf(() => saying(`reply(${JSON.stringify(reply)})`).invoke(REQUEST, NEVER));

  test("events before the reply, one per line, as they happen; any other line begins the reply", async () => {
    const events: AgentEvent[] = [];
    const code = `tell({ kind: "text", text: "thinking" }); tell({ kind: "tool", name: "grep" }); tell({ kind: "usage", usage: { input_tokens: 3 } }); console.log(JSON.stringify({ text: "ok" }, null, 2));`;
    expect((await saying(code).invoke({ ...REQUEST, onEvent: (event) => events.push(event) }, NEVER)).text).toBe("ok");
    expect(events).toEqual([
      { kind: "text", text: "thinking" },
      { kind: "tool", name: "grep", input: null, output: "", ok: true, duration_ms: 0 },
      { kind: "usage", usage: { input_tokens: 3, output_tokens: 0, cost_usd: 0 }, model: null },
    ]);
    const broken = await refusalOf(() => saying(`tell({ kind: "dance" }); reply({ text: "ok" })`).invoke(REQUEST, NEVER));
    expect(broken.message).toMatch(/did not answer with one JSON object/);
  });

  test("the reason for no answer, as an error code of Slipway", async () => {
    const before = Date.now();
    expect(await refusal({ error: "later", code: "rate_limited", wake_at: 5 })).toMatchObject({
      code: "rate_limited",
      details: { wake_at: 5 },
    });
    expect((await refusal({ error: "later", code: "rate_limited" })).details["wake_at"]).toBeGreaterThan(before);
    expect(await refusal({ error: "no", code: "quota_exhausted" })).toMatchObject({ details: { wake_at: null, retryable: true } });
    expect(await refusal({ error: "too long", code: "context_overflow" })).toMatchObject({ code: "context_overflow" });
    expect((await refusal({ error: "x", code: "merge_failed" })).message).toMatch(/JSON that is not a reply/);
  });

  test("one that works in a folder needs one", async () => {
    const provider = customProvider({ command: ["x"], timeoutMs: 1, env: {}, works: "folder" });
    expect((await refusalOf(() => provider.invoke(REQUEST, NEVER))).code).toBe("internal_error");
  });

  test("a limit of the sandbox is reported", async () => {
    const workplace = {
      ...plainWorkplace({}),
      run: () => Promise.resolve({ kind: "limit" as const, limit: "memory", stderr: "", durationMs: 1 }),
    };
    const provider = customProvider({ command: ["x"], timeoutMs: 1, env: {}, works: "folder" });
    expect((await refusalOf(() => provider.invoke({ ...REQUEST, workplace }, NEVER))).message).toMatch(/went beyond its limit of memory/);
  });
});
