import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { execFileSync } from "node:child_process";
import type { ProviderFinding } from "@slipway/agents/probe";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RoleAssignment } from "@slipway/runtime/role-assignment";
import { scratchFolder } from "../init/testing/scratch.ts";
import { letters, type Project } from "../testing/project.ts";

const GIT = dirname(execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim());

/** A machine with only git and these programs. */
function machine(programs: Readonly<Record<string, string>>): string {
  const folder = join(scratchFolder(), "bin");
  mkdirSync(folder);
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return `${folder}:${GIT}`;
}

async function asked(project: Project, env: Readonly<Record<string, string>> = {}, ...argv: string[]) {
  const all = { ...project.env, PATH: machine({ claude: "echo '2.1.325 (Claude Code)'", codex: "echo boom >&2; exit 1" }), ...env };
  const { json } = await project.slipway(["agents", "--json", ...argv], { env: all });
  const [told] = json<{ providers: ProviderFinding[]; roles: RoleAssignment[] }>();
  return {
    provider: (name: string) => told!.providers.find((one) => one.name === name),
    roles: told!.roles.filter(({ protocol }) => protocol === "features"),
    every: told!.roles,
    all,
  };
}

const yaml = (runtime: object) => ({ "slipway/agents.yaml": JSON.stringify({ version: 1, roles: {}, runtime }) });

describe("slipway agents", () => {
  test("text output names what is ready, what is missing and how to fix it", async () => {
    const project = letters(
      yaml({ acp: { mine: { command: ["my-agent"] } }, custom: { command: ["sh", "agent.sh"] }, replay: { cassette: "tapes" } }),
    );
    const { provider, all } = await asked(project, { ANTHROPIC_API_KEY: "sk-ant-secret-secret-secret", OPENROUTER_API_KEY: " " });
    expect(provider("claude")).toMatchObject({ ready: true, version: "2.1.325", access: "key in ANTHROPIC_API_KEY", fix: [] });
    expect(provider("claude")?.models).toContain("claude-opus-5");
    expect(provider("codex")).toMatchObject({
      ready: false,
      version: null,
      fix: [expect.stringMatching(/does not start \(boom\)/), expect.stringMatching(/no key and no sign-in/)],
    });
    expect(provider("gemini")).toMatchObject({
      ready: false,
      fix: [expect.stringMatching(/^gemini is not installed: npm i -g @google\/gemini-cli/), expect.any(String)],
    });
    expect(provider("api (anthropic)")).toMatchObject({ ready: true, access: "key in ANTHROPIC_API_KEY" });
    expect(provider("api (openrouter)")).toMatchObject({
      ready: false,
      access: "no key in OPENROUTER_API_KEY",
      fix: ["Set OPENROUTER_API_KEY, then use --agent-provider api --agent-model openrouter/MODEL."],
    });
    expect(provider("acp:claude")).toMatchObject({
      ready: false,
      fix: [expect.stringMatching(/^claude-agent-acp is not installed: npm i -g /)],
    });
    expect(provider("acp:mine")).toMatchObject({
      ready: false,
      access: "configured by itself",
      fix: [expect.stringContaining("runtime.acp.mine.command")],
    });
    expect(provider("custom")).toMatchObject({ ready: true });
    expect(provider("manual")).toMatchObject({ ready: true });
    expect(provider("replay")).toMatchObject({ access: "recorded answers from tapes" });
    const { stdout } = await project.slipway(["agents"], { env: all });
    expect(stdout).toMatch(/^Providers\n {2}ready {4}claude +2\.1\.325; key in ANTHROPIC_API_KEY; models: .* …\n/);
    expect(stdout).toMatch(/\n {2}missing {2}gemini [^\n]*\n +fix: gemini is not installed: npm i -g /);
    expect(stdout).toMatch(/\n {2}features\/planner +\(strong\) +no provider: No agent is configured for the role `planner`\.\n/);
    expect(stdout).toMatch(/\n {2}factory\/arbiter +\(\w+\) +no provider: /);
    expect(stdout).not.toMatch(/sk-ant|ENOENT/);
  });

  test("the provider of each role, and where it was chosen", async () => {
    const project = letters(
      yaml({
        default_provider: "replay",
        default_model: "plain",
        role_provider_overrides: { qa: { provider: "manual", model: "person" } },
        tiers: { strong: { provider: "claude", model: "opus" } },
      }),
    );
    const played = ({ roles }: Awaited<ReturnType<typeof asked>>) =>
      roles.map(({ role, played: one }) => ("code" in one ? one.code : [role, one.provider, one.why.provider, one.model, one.why.model]));
    expect(played(await asked(project))).toEqual([
      ["builder", "replay", "default", "plain", "default"],
      ["planner", "claude", "tier", "opus", "tier"],
      ["qa", "manual", "role override", "person", "role override"],
    ]);
    expect(played(await asked(project, { SLIPWAY_AGENT_PROVIDER: "gemini" }, "--agent-model", "flash"))).toEqual([
      ["builder", "gemini", "environment", "flash", "flag"],
      ["planner", "gemini", "environment", "flash", "flag"],
      ["qa", "gemini", "environment", "flash", "flag"],
    ]);
    expect(played(await asked(project, {}, "--provider", "oracle"))).toEqual(Array(3).fill("unsupported_agent_provider"));
    const { all } = await asked(project);
    const { stdout } = await project.slipway(["agents", "--provider", "api"], { env: all });
    expect(stdout).toMatch(/ {2}features\/planner +\(strong\) +api \(flag\), plain \(default\)\n/);
  });

  test("a model server on this machine lists its models; one that does not answer has to be started", async () => {
    const server = createServer((request, response) => response.end(request.url === "/v1/models" ? '{"data":[{"id":"qwen3"}]}' : "[]"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const local = (base_url: string) => ({ kind: "openai-compatible", base_url });
    const elsewhere = local("https://models.example.com/v1");
    const project = letters(
      yaml({ api: { endpoints: { here: local(`${at}/v1`), odd: local(`${at}/odd`), gone: local("http://127.0.0.1:9/v1"), elsewhere } } }),
    );
    const { provider } = await asked(project);
    expect(provider("api (here)")).toMatchObject({ ready: true, access: "no key needed, on this machine", models: ["here/qwen3"] });
    expect(provider("api (odd)")).toMatchObject({ ready: true, models: [] });
    expect(provider("api (gone)")).toMatchObject({ ready: false, fix: ["No server answers at http://127.0.0.1:9/v1: start gone there."] });
    expect(provider("api (elsewhere)")).toMatchObject({ ready: true, access: "no key needed" });
  });

  test("works without configuration, and without a custom command", async () => {
    const project = letters();
    project.git("rm", "-q", "-r", "slipway");
    project.git("commit", "-q", "-m", "no configuration");
    const { provider, roles, all } = await asked(project);
    expect(provider("custom")).toMatchObject({ ready: false, fix: [expect.stringContaining("runtime.custom.command")] });
    expect(provider("replay")).toMatchObject({ access: "recorded answers, with --cassette FOLDER" });
    expect(roles.map(({ role, tier }) => [role, tier])).toEqual([
      ["builder", "standard"],
      ["planner", "strong"],
      ["qa", "standard"],
    ]);
    const { stdout } = await project.slipway(["agents", "--provider", "claude"], { env: all });
    expect(stdout).toMatch(/features\/builder +\(standard\) +claude \(flag\), its own default model\n/);
  });

  test("a role in the repository counts once it is committed", async () => {
    const own = "---\nname: builder\ntier: fast\ntools: []\nwrite_grant: patch\noutput: PATCH\n---\n\nOurs.\n";
    const project = letters({ "slipway/roles/features/builder.md": own });
    project.write("slipway/roles/features/qa.md", own.replace("builder", "qa"));
    const { roles } = await asked(project);
    expect(roles.map(({ tier }) => tier)).toEqual(["fast", "strong", "standard"]);
  });
});
