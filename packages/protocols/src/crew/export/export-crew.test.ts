import { isExport, parseExport, TARGETS, type ExportedFile, type Target } from "@slipway/agents/role-export";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { protocolRole, roleNames } from "../../dispatch/roles.ts";
import { CREW_AGENTS, CREW_ROLES } from "../agents.ts";
import { parseDispatchInput } from "../contract/input.ts";
import { MOVES } from "../states/moves.ts";
import { EXAMPLE_INPUT } from "./contract-reference.ts";
import { crewExport, crewOrchestrator, exportCrew } from "./export-crew.ts";

const dispatched = await Promise.all((await roleNames("crew")).map((name) => protocolRole("crew", name, async () => null)));
const roles = [...dispatched, await crewOrchestrator()];
const exported: Readonly<Record<Target, readonly ExportedFile[]>> = {
  copilot: exportCrew("copilot", roles),
  claude: exportCrew("claude", roles),
};

function textOf(files: readonly ExportedFile[], path: string): string {
  const file = files.find((each) => each.path === path);
  if (file === undefined) throw new Error(`${path} is not exported`);
  return file.text;
}
const fieldsOf = (text: string) => parse(text.slice(4, text.indexOf("\n---\n", 4))) as Readonly<Record<string, unknown>>;

const AGENT_PATH: Readonly<Record<Target, (file: string) => string>> = {
  copilot: (file) => `.github/agents/${file}.agent.md`,
  claude: (file) => `.claude/agents/${file}.md`,
};
/** Published names: aliases of GitHub's custom agents with VS Code's question tool, and tools of Claude Code. */
const PUBLISHED_TOOLS: Readonly<Record<Target, readonly string[]>> = {
  copilot: ["read", "edit", "execute", "search", "agent", "vscode/askQuestions"],
  claude: ["Read", "Write", "Edit", "Bash", "Glob", "Grep", "Agent", "AskUserQuestion"],
};
const PUBLISHED_KEYS: Readonly<Record<Target, readonly string[]>> = {
  copilot: ["name", "description", "tools", "agents"],
  claude: ["name", "description", "tools", "model"],
};

describe.each(TARGETS)("the export for %s", (target) => {
  const files = exported[target];

  test("[CRW-004] is twelve agents by their kebab-case names, and two references outside the folder of agents", async () => {
    const folder = target === "copilot" ? ".github/crew" : ".claude/crew";
    expect(files.map(({ path }) => path)).toEqual([
      ...CREW_ROLES.map((name) => AGENT_PATH[target](CREW_AGENTS[name].file)),
      `${folder}/contract.md`,
      `${folder}/workflow.md`,
    ]);
    expect(files).toHaveLength(14);
    expect(await crewExport(target, dispatched)).toEqual({ root: "", files });
  });

  test("has the published front matter, with tools that exist", () => {
    for (const { path, text } of files.slice(0, 12)) {
      const fields = fieldsOf(text);
      expect(
        Object.keys(fields).filter((key) => !PUBLISHED_KEYS[target].includes(key)),
        path,
      ).toEqual([]);
      expect(fields["name"]).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
      expect(AGENT_PATH[target](String(fields["name"]))).toBe(path);
      expect(String(fields["description"]).length).toBeGreaterThan(40);
      const tools = target === "copilot" ? (fields["tools"] as readonly string[]) : String(fields["tools"]).split(", ");
      expect(
        tools.filter((tool) => !PUBLISHED_TOOLS[target].includes(tool)),
        path,
      ).toEqual([]);
      expect(text.length).toBeLessThan(30_000);
    }
  });

  test("[CRW-010] gives Reviewer and Security nothing that writes, and lists each role's own tools in its text", () => {
    const writing = /"edit"|\bWrite\b|\bEdit\b/;
    for (const name of CREW_ROLES) {
      const text = textOf(files, AGENT_PATH[target](CREW_AGENTS[name].file));
      const line = /^tools: .*$/m.exec(text)?.[0] ?? "";
      expect(writing.test(line), name).toBe(name !== "Reviewer" && name !== "Security");
      expect(text).toContain(`> **Tools:** ${CREW_AGENTS[name].tools.map((tool) => `\`${tool}\``).join(", ")}\n`);
    }
  });

  test("names the contract that every agent reads first", () => {
    for (const { text } of files.slice(0, 12)) expect(text).toMatch(/> \*\*Contract:\*\* read `\.(?:github|claude)\/crew\/contract\.md`/);
  });

  test("bears the mark everywhere, reads back as roles with the same grant, and these export to the same bytes", () => {
    expect(files.filter(({ text }) => !isExport(text))).toEqual([]);
    const read = files.slice(0, 12).map(({ path, text }) => parseExport(path, text));
    for (const { protocol, role } of read) {
      const { prompt, ...grant } = role;
      const original = roles.find(({ name }) => name === role.name);
      expect(protocol).toBe("crew");
      expect(original).toMatchObject(grant);
      expect(prompt.endsWith(original?.prompt ?? "?")).toBe(true);
    }
    expect(
      exportCrew(
        target,
        read.map(({ role }) => role),
      ),
    ).toEqual(files);
  });
});

describe("the contract", () => {
  const text = textOf(exported.copilot, ".github/crew/contract.md");

  test("[CRW-005] shows an input that the boundary accepts", () => {
    const [, json = ""] = /```json\n(.*?)```/s.exec(text) ?? [];
    expect(JSON.parse(json)).toEqual(EXAMPLE_INPUT);
    expect(parseDispatchInput("Coder", "IMPLEMENT_LOOP", JSON.parse(json))).toMatchObject({ ok: true });
  });

  test("[CRW-015][CRW-017] gives each role its statuses and its own artifact keys", () => {
    const rows = [...text.matchAll(/^\| (\w+) \| (OK, .*?) \| (.*?) \|$/gm)].map(([, name, status, keys]) => [name, status, keys]);
    expect(rows).toHaveLength(11);
    expect(rows).toContainEqual(["Researcher", "OK, BLOCKED, FAIL, NEEDS_INFO", "`research_summary`, `confidence`, `options`"]);
    expect(rows).toContainEqual(["Security", "OK, BLOCKED, FAIL, NEEDS_DECISION", "none"]);
    expect(rows).toContainEqual(["Designer", "OK, BLOCKED, FAIL", "`design_spec_inline`, `design_spec_file`"]);
    expect(rows).toContainEqual(["Reviewer", "OK, BLOCKED, FAIL", "`checklist_summary`"]);
    expect(rows).toContainEqual(["QA", "OK, BLOCKED, FAIL", "`test_results`, `coverage_gaps`"]);
  });
});

test("the workflow gives the context files of each agent", () => {
  const text = textOf(exported.copilot, ".github/crew/workflow.md");
  expect(text).toContain("| Planner | spec.md, acceptance.json, architecture.md | design-specs/, research/ |");
  expect(text).toContain("| QA | spec.md, acceptance.json, tasks.yaml | design-specs/ |");
  expect(text).toContain("| Security | tasks.yaml | architecture.md |");
});

test("the workflow shows every move of the table, and no other", () => {
  const text = textOf(exported.claude, ".claude/crew/workflow.md");
  const rows = [...text.matchAll(/^\| (\w+) \| ([A-Z_, ]+) \| ((?:full|lean)[a-z, ]*) \| /gm)];
  const shown = rows.flatMap(([, from = "", to = "", modes = ""]) => to.split(", ").map((each) => `${from} ${each} ${modes}`));
  expect(shown.toSorted()).toEqual([...new Set(MOVES.map(({ from, to, modes }) => `${from} ${to} ${modes.join(", ")}`))].toSorted());
  expect(text).toContain(
    "Full mode: INTAKE → DESIGN → APPROVE_DESIGN → PLAN → REVIEW_STRATEGY → IMPLEMENT_LOOP → INTEGRATE → RELEASE → DONE.",
  );
});
