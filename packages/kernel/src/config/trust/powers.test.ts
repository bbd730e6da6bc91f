import { GATES } from "../../change/testing/scratch-kernel.ts";
import { expect, test } from "vitest";
import { parseAgents } from "../agents.ts";
import { loadConfiguration } from "../load.ts";
import { policyYaml } from "../testing/samples.ts";
import { isConfigurationFile } from "./configuration-files.ts";
import { agentCommands, powersOf } from "./powers.ts";

async function powers(files: Readonly<Record<string, string>>) {
  const all: Record<string, string> = { "slipway/gates.yaml": GATES, "slipway/policy.yaml": policyYaml(), ...files };
  const configuration = await loadConfiguration(async (path) => (all[path] === undefined ? null : Buffer.from(all[path])));
  return { ...powersOf(configuration), commands: agentCommands(configuration.agents) };
}

const agents = (runtime: object) => ({ "slipway/agents.yaml": JSON.stringify({ version: 1, roles: {}, runtime }) });

test("a gate's command is one program, however often it is named, and runs in the sandbox", async () => {
  const { programs, grants, commands } = await powers({});
  expect(programs.map(({ runs, file }) => [runs, file])).toEqual([["in the sandbox", "slipway/gates.yaml"]]);
  expect(programs[0]?.fields.length).toBeGreaterThan(1);
  expect([grants, commands]).toEqual([[], []]);
});

test("a step with network is another power than the same step without", async () => {
  const step = (network: boolean) => ({ name: "t", cmd: ["npm", "test"], network });
  const modes = { fast: [step(false)], full: [step(true)] };
  const { programs } = await powers({ "slipway/gates.yaml": JSON.stringify({ version: 1, profiles: { default: { modes } } }) });
  expect(programs.map(({ runs }) => runs)).toEqual(["in the sandbox", "in the sandbox, with network"]);
});

test("every command of agents.yaml is a program, with where it runs", async () => {
  const command = ["./x"];
  const { programs, commands } = await powers(
    agents({
      custom: { command },
      claude: { command },
      codex: { command: ["c"] },
      gemini: {},
      acp: { own: { command: ["a"] }, other: {} },
    }),
  );
  const own = programs.filter(({ file }) => file === "slipway/agents.yaml");
  expect(own.map(({ command: words, runs, fields }) => [words[0], runs, fields])).toEqual([
    ["./x", "outside the sandbox", ["runtime.custom.command", "runtime.claude.command"]],
    ["c", "outside the sandbox", ["runtime.codex.command"]],
    ["a", "in the sandbox", ["runtime.acp.own.command"]],
  ]);
  expect(commands).toHaveLength(4);
  const inFolder = await powers(agents({ custom: { command, works: "folder" } }));
  expect(inFolder.programs.find(({ file }) => file === "slipway/agents.yaml")?.runs).toBe("in the sandbox");
});

test("what a configuration gives away is told: files, variables, addresses", async () => {
  const { grants } = await powers({
    "slipway/policy.yaml": policyYaml({
      sandbox: { read_only: ["/opt/tool"], shared_paths: ["node_modules"] },
      execution: { env_allowlist: ["PATH", "AWS_SECRET"] },
      notifications: { channels: [{ type: "webhook", endpoint: "https://example.com/x", events: ["error"] }] },
    }),
    ...agents({
      provider_config_env: "MY_KEY",
      api: { endpoints: { one: { kind: "openai", base_url: "https://one.example", key_env: "K" }, two: { kind: "google" } } },
      claude: { base_url: "https://claude.example" },
      custom: { command: ["x"], programs: ["/opt/a"], hosts: ["h:1"] },
      acp: { own: { command: ["a"], programs: ["/opt/b"], hosts: ["g:2"], env: ["E"] }, bare: { command: ["b"] } },
      web_search: { backend: "searxng", base_url: "https://search.example" },
    }),
  });
  expect(grants.map(({ text }) => text)).toEqual([
    "gates read /opt/tool",
    "gates read node_modules of your checkout",
    "gates get the value of AWS_SECRET",
    "news of runs go to https://example.com/x",
    "the value of K and the work go to https://one.example",
    "its key and the work go to its maker",
    "its key and the work go to https://claude.example",
    "it reads /opt/b",
    "it reaches g:2",
    "it gets the value of E",
    "it reads /opt/a",
    "it reaches h:1",
    "searches go to https://search.example",
    "the provider gets the value of MY_KEY as its key",
  ]);
});

test("the files that count are those directly in slipway/ in a format of configuration", () => {
  const counts = ["slipway/policy.yaml", "slipway/x.yml", "slipway/criticality.toml", "slipway/any.json"];
  const others = ["slipway/roles/features/qa.md", "slipway/notes.md", "slipway/gates.yaml.bak", "slipway/a/b.yaml", "other/policy.yaml"];
  expect(counts.filter(isConfigurationFile)).toEqual(counts);
  expect(others.filter(isConfigurationFile)).toEqual([]);
  expect(agentCommands(parseAgents("slipway/agents.yaml", "version: 1\nroles: {}\n"))).toEqual([]);
});
