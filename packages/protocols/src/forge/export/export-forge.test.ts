import { parseExport, isExport, TARGETS, type ExportedFile } from "@slipway/agents/role-export";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { protocolRole, roleNames } from "../../dispatch/roles.ts";
import { FORGE_AGENTS, type ForgeRole } from "../agents.ts";
import { SCHEMAS } from "../schemas/table.ts";
import { readYaml } from "../schemas/yaml.ts";
import { exportForge, forgeExport, forgeOrchestrator } from "./export-forge.ts";
import { sectionsOf } from "./prompt-sections.ts";

const SECTIONS = [
  "Role & Purpose",
  "Input Schema",
  "Output Schema",
  "Workflow",
  "Completion Contract",
  "Operating Rules",
  "Self-Verification",
  "Tool Access",
  "Anti-Drift Anchor",
];
const NAMES = Object.keys(FORGE_AGENTS) as ForgeRole[];
const played = await Promise.all((await roleNames("forge")).map((name) => protocolRole("forge", name, async () => null)));
const roles = [await forgeOrchestrator(), ...played];
const copilot = exportForge("copilot", roles);
const claude = exportForge("claude", roles);

function textOf(files: readonly ExportedFile[], path: string): string {
  const file = files.find((each) => each.path === path);
  if (file === undefined) throw new Error(`${path} is not exported`);
  return file.text;
}
const agent = (name: ForgeRole) => textOf(copilot, `.github/agents/${name}.agent.md`);
const bodyOf = (text: string) => text.slice(text.indexOf("\n---\n", 4) + 5);
const fieldsOf = (text: string) => parse(text.slice(4, text.indexOf("\n---\n", 4))) as Readonly<Record<string, unknown>> | null;
const section = (name: ForgeRole, heading: string) => sectionsOf(bodyOf(agent(name))).sections.get(heading) ?? "";

describe("the export for Copilot", () => {
  test("[FOR-120][FOR-121] is exactly fourteen files with lowercase names, below a folder of its own", async () => {
    const expected = [
      ...NAMES.map((name) => `.github/agents/${name}.agent.md`),
      ".github/agents/schemas.md",
      ".github/agents/dispatch-patterns.md",
      ".github/agents/severity-taxonomy.md",
      ".github/prompts/feature-workflow.prompt.md",
      "README.md",
    ];
    expect(copilot.map(({ path }) => path)).toEqual(expected);
    expect(copilot).toHaveLength(14);
    for (const path of expected.filter((each) => each !== "README.md"))
      expect(path).toMatch(/^\.github\/(?:agents|prompts)\/[a-z]+(?:-[a-z]+)*(?:\.agent|\.prompt)?\.md$/);
    const { root, files } = await forgeExport("copilot", played);
    expect([root, files]).toEqual(["slipway-forge", copilot]);
  });

  test("[FOR-003][FOR-156] has nine definitions and none of the agents that were removed", () => {
    const definitions = copilot.filter(({ path }) => path.endsWith(".agent.md"));
    expect(definitions).toHaveLength(9);
    const removed = /\b(?:ct|r|v)-[a-z]+|critical-thinker|documentation-writer|post-mortem/;
    expect(definitions.filter(({ path }) => removed.test(path))).toEqual([]);
  });

  test.each(NAMES)("[FOR-122][FOR-156] %s: title, quote block and the nine sections, in their order", (name) => {
    const lines = bodyOf(agent(name)).trim().split("\n");
    expect(lines[0]).toBe(`# ${FORGE_AGENTS[name].title}`);
    expect(lines.filter((line) => line.startsWith("> ")).map((line) => /\*\*(.+?):\*\*/.exec(line)?.[1])).toEqual([
      "Type",
      "Pipeline Step",
      "Inputs",
      "Outputs",
    ]);
    const { sections } = sectionsOf(bodyOf(agent(name)));
    expect([...sections.keys()]).toEqual(SECTIONS);
    for (const text of sections.values()) expect(text.length).toBeGreaterThan(20);
    expect(sections.get("Output Schema")).toMatch(/`completion-contract` in \[schemas\.md\]\(schemas\.md\)/);
  });

  test.each(NAMES)("[FOR-123] %s: the exported tools and statuses are those of the run", (name) => {
    const [listed = ""] = section(name, "Tool Access").split("\n\n");
    expect(listed.split(", ").map((tool) => tool.replaceAll("`", ""))).toEqual(FORGE_AGENTS[name].tools);
    expect([...section(name, "Completion Contract").matchAll(/^- ([A-Z_]+):/gm)].map(([, status]) => status)).toEqual(
      FORGE_AGENTS[name].statuses,
    );
  });

  test.each(NAMES)("[FOR-123][FOR-156] %s: the anchor says who it is, what it does and what it never does", (name) => {
    const anchor = section(name, "Anti-Drift Anchor");
    expect(anchor.toLowerCase()).toContain(`you are the ${FORGE_AGENTS[name].title.toLowerCase()}`);
    expect(anchor).toMatch(/\. You (?!never)[a-z]+/);
    expect(anchor).toMatch(/\bnever [a-z]+/);
  });

  test("[FOR-006][FOR-156] the orchestrator is granted no tool that writes or searches, under any name", () => {
    const forbidden = /create_file|replace_string_in_file|grep_search|semantic_search|file_search|get_errors/;
    expect(agent("orchestrator")).not.toMatch(forbidden);
    expect(fieldsOf(agent("orchestrator"))?.["tools"]).toEqual([
      "agent",
      "agent/runSubagent",
      "vscode/memory",
      "read/readFile",
      "search/listDirectory",
      "execute/runInTerminal",
      "execute/getTerminalOutput",
      "vscode/askQuestions",
    ]);
  });

  test("[FOR-125][FOR-156] every file uses the four severity words, and no others, for a severity", () => {
    const taxonomy = bodyOf(textOf(copilot, ".github/agents/severity-taxonomy.md"));
    expect([...taxonomy.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual(["Blocker", "Critical", "Major", "Minor", "Use"]);
    for (const { path, text } of [...copilot, ...claude]) {
      const values = [...text.matchAll(/\bseverity:\s*([\w-]+)/gi)].map(([, value]) => value);
      expect(
        values.filter((value) => !/^(?:Blocker|Critical|Major|Minor|null)$/.test(value ?? "")),
        path,
      ).toEqual([]);
      expect(text, path).not.toMatch(/severity (?:of |is )?`?(?:high|medium|low|info|warning|trivial)\b/i);
    }
  });

  test("[FOR-124] dispatch-patterns.md defines A with its cap and steps, B, C and the rules of sub-waves", () => {
    const { sections } = sectionsOf(bodyOf(textOf(copilot, ".github/agents/dispatch-patterns.md")));
    expect([...sections.keys()].map((heading) => heading.split(":")[0])).toEqual([
      "Pattern A",
      "Pattern B",
      "Pattern C",
      "Concurrency and sub-waves",
    ]);
    const patternA = sections.get("Pattern A: fully parallel") ?? "";
    expect(patternA).toContain("at most four");
    expect([...patternA.matchAll(/^\| (\d[ab]?) /gm)].map(([, step]) => step)).toEqual(["1", "3b", "5", "6", "7"]);
    expect(sections.get("Concurrency and sub-waves")).toMatch(/more than four tasks is split into sub-waves of at most four/);
  });

  test("[FOR-126] the prompt file binds the orchestrator, declares both variables and has the four sections", () => {
    const text = textOf(copilot, ".github/prompts/feature-workflow.prompt.md");
    expect(fieldsOf(text)).toMatchObject({
      mode: "agent",
      agent: "orchestrator",
      variables: [{ name: "USER_FEATURE" }, { name: "APPROVAL_MODE", description: "autonomous | interactive", default: "autonomous" }],
    });
    const { sections } = sectionsOf(bodyOf(text));
    expect([...sections.keys()]).toEqual(["Initial Request", "Execution Mode", "Key Artifacts Reference", "Pipeline Execution Rules"]);
    expect(sections.get("Initial Request")).toMatch(/^\{\{USER_FEATURE\}\}/);
    expect(sections.get("Execution Mode")).toMatch(/^\{\{APPROVAL_MODE\}\}/);
    for (const path of [".github/agents/<agent>.agent.md", ".github/agents/schemas.md", ".github/agents/dispatch-patterns.md"])
      expect(sections.get("Key Artifacts Reference")).toContain(path);
    expect(sections.get("Pipeline Execution Rules")?.split("\n")).toHaveLength(4);
  });

  test("[FOR-127] the README draws the chain, both gates and the three loops", () => {
    const [, chart = ""] = /```mermaid\n(flowchart TD\n.*?)```/s.exec(textOf(copilot, "README.md")) ?? [];
    const edges = [...chart.matchAll(/^ {4}(\w+) (?:-->|-- "(.*)" -->) (\w+)$/gm)].map(([, from, label, to]) => [from, to, label]);
    const chain = ["S0", "S1", "AG1", "S2", "S3", "S3b", "S4", "AG2", "S5", "S6", "S7", "S8", "S8b", "S9", "DONE"];
    for (const [index, from] of chain.slice(0, -1).entries()) expect(edges).toContainEqual([from, chain[index + 1], undefined]);
    const loops = edges.filter(([, , label]) => label !== undefined);
    expect(loops.map(([from, to]) => `${from} ${to}`)).toEqual(["S3b S3", "S6 S5R", "S7 S7F"]);
    expect(loops.map(([, , label]) => /\((.*)\)/.exec(label ?? "")?.[1])).toEqual(["max 1 loop", "max 3 loops", "max 2 rounds"]);
    expect(edges).toContainEqual(["S5R", "S5", undefined]);
    expect(edges).toContainEqual(["S7F", "S7", undefined]);
    for (const gate of ["AG1", "AG2"]) expect(chart).toMatch(new RegExp(`${gate}\\{".*interactive only.*"\\}`));
  });
});

describe("schemas.md", () => {
  const body = bodyOf(textOf(copilot, ".github/agents/schemas.md"));
  const { sections } = sectionsOf(body);

  test("[FOR-147] lists the ten schemas in pipeline order, each with its fields and an example that validates", () => {
    expect([...sections.keys()].slice(0, -1)).toEqual(SCHEMAS.map(({ name }) => name));
    for (const { name, schema, fields } of SCHEMAS) {
      const text = sections.get(name) ?? "";
      const [, example = ""] = /```yaml\n(.*?)```/s.exec(text) ?? [];
      expect(readYaml(example, schema), name).toMatchObject({ ok: true });
      for (const { path, type, required } of fields) expect(text).toContain(`| \`${path}\` | ${type} | ${required ? "yes" : "no"} |`);
    }
    expect(sections.get("task-schema")).toMatch(/\| `task\.relevant_context\.files_to_modify` \| .* \| yes \| .* \| 1 \|/);
    expect(sections.get("task-schema")).toMatch(/`Standard`, `Large`/);
  });

  test("names producer and consumers of each", () => {
    for (const { name, producer, consumers } of SCHEMAS) {
      expect(sections.get(name)).toContain(
        `- Producer: ${producer}\n- Consumers: ${consumers.length === 0 ? "none" : consumers.join(", ")}\n`,
      );
    }
  });

  test("[FOR-076] says which task ids the rows of the ledger have", () => {
    for (const id of [
      "`task-03`",
      "`{feature_slug}-design-review` for verdicts of Step 3b",
      "`{feature_slug}-code-review` for verdicts of Step 7",
    ])
      expect(sections.get("Rows of the ledger")).toContain(id);
  });
});

/** Published for custom agents of VS Code and GitHub, and for prompt files. */
const COPILOT_KEYS = ["name", "description", "tools", "agents", "user-invocable", "disable-model-invocation"];
const VSCODE_TOOL =
  /^(?:agent|agent\/runSubagent|vscode\/(?:memory|askQuestions)|read\/(?:readFile|problems)|search\/(?:listDirectory|textSearch|codebase|fileSearch|usages)|edit\/(?:createFile|editFiles)|execute\/(?:runInTerminal|getTerminalOutput))$/;
/** Published for subagents of Claude Code. */
const CLAUDE_TOOL = /^(?:Agent|AskUserQuestion|Bash|Edit|Glob|Grep|LSP|Read|Write|mcp__ide__getDiagnostics)$/;

describe("the published formats", () => {
  test.each(NAMES)("Copilot: %s has known keys, a description, tools that exist and a body within the limit", (name) => {
    const fields = fieldsOf(agent(name)) ?? {};
    expect(Object.keys(fields).filter((key) => !COPILOT_KEYS.includes(key))).toEqual([]);
    expect(fields["name"]).toBe(name);
    expect(fields["description"]).toMatch(/\S{3}/);
    const tools = fields["tools"] as readonly string[];
    expect(tools.filter((tool) => !VSCODE_TOOL.test(tool))).toEqual([]);
    expect(tools.length).toBeGreaterThan(0);
    expect(bodyOf(agent(name)).length).toBeLessThan(30_000);
  });

  test("Copilot: the orchestrator may start exactly the other eight", () => {
    expect(fieldsOf(agent("orchestrator"))?.["agents"]).toEqual(NAMES.filter((name) => name !== "orchestrator"));
  });

  test.each(["schemas", "dispatch-patterns", "severity-taxonomy"])(
    "Copilot: %s.md, in the folder of agents, cannot be chosen or started as one",
    (topic) => {
      expect(fieldsOf(textOf(copilot, `.github/agents/${topic}.md`))).toMatchObject({
        tools: [],
        "user-invocable": false,
        "disable-model-invocation": true,
      });
    },
  );

  test("Claude Code: one subagent for each definition, named like its file, with tools that exist; references are elsewhere", () => {
    const inFolder = claude.filter(({ path }) => path.startsWith(".claude/agents/"));
    expect(inFolder.map(({ path }) => path)).toEqual(NAMES.map((name) => `.claude/agents/${name}.md`));
    for (const { path, text } of inFolder) {
      const fields = fieldsOf(text) ?? {};
      expect(Object.keys(fields)).toEqual(["name", "description", "tools", "model"]);
      expect(path).toBe(`.claude/agents/${String(fields["name"])}.md`);
      expect(fields["name"]).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
      expect(
        String(fields["tools"])
          .split(", ")
          .filter((tool) => !CLAUDE_TOOL.test(tool)),
      ).toEqual([]);
      expect(text).toContain("[schemas.md](../forge/schemas.md)");
    }
    expect(claude.slice(NAMES.length).map(({ path }) => path)).toEqual([
      ".claude/forge/schemas.md",
      ".claude/forge/dispatch-patterns.md",
      ".claude/forge/severity-taxonomy.md",
    ]);
  });
});

describe.each(TARGETS)("what was exported for %s", (target) => {
  const files = target === "copilot" ? copilot : claude;

  test("bears the mark of Slipway in every file", () => {
    expect(files.filter(({ text }) => !isExport(text))).toEqual([]);
  });

  test("reads back as roles with the same grant, and these export to the same bytes", () => {
    const read = files
      .filter(({ path }) => path.includes("/agents/") && fieldsOf(textOf(files, path))?.["user-invocable"] !== false)
      .map(({ path, text }) => parseExport(path, text));
    expect(read).toHaveLength(9);
    for (const { protocol, role } of read) {
      const { prompt: _, ...grant } = role;
      expect(protocol).toBe("forge");
      expect(roles.find(({ name }) => name === role.name)).toMatchObject(grant);
    }
    expect(
      exportForge(
        target,
        read.map(({ role }) => role),
      ),
    ).toEqual(files);
  });

  test("keeps a role of the repository's own, whatever sections it has", () => {
    const own = { ...played[0]!, name: "researcher", prompt: "Look around.\n\n## House rules\n\n- Be brief.", tools: ["read"] };
    const [file] = exportForge(target, [own]);
    expect(file?.text).toContain("## Role & Purpose\n\nLook around.");
    expect(file?.text).toContain("### House rules\n\n- Be brief.");
    expect(file?.text).toContain("## Tool Access\n\n`read`\n");
    expect(file?.text).toContain("- DONE\n- ERROR\n");
    expect([...sectionsOf(bodyOf(file?.text ?? "")).sections.keys()]).toEqual(SECTIONS);
  });
});
