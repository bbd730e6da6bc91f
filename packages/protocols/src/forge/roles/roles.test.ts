import { countTokens } from "gpt-tokenizer";
import { describe, expect, test } from "vitest";
import { protocolRole, roleNames } from "../../dispatch/roles.ts";
import { FORGE_AGENTS, type PlayedForgeRole } from "../agents.ts";
import { sectionsOf } from "../export/prompt-sections.ts";
import { answerSchemaOf } from "../schemas/answers.ts";
import { ROLE_PAYLOADS } from "../schemas/roles.ts";
import { readYaml } from "../schemas/yaml.ts";

/** With its example: a prompt that needs more describes two roles. */
const MAX_TOKENS = 700;

const played = (Object.keys(FORGE_AGENTS) as (keyof typeof FORGE_AGENTS)[]).filter((name) => name !== "orchestrator");
const roleOf = (name: PlayedForgeRole) => protocolRole("forge", name, async () => null);

async function sections(name: PlayedForgeRole): Promise<ReadonlyMap<string, string>> {
  return sectionsOf((await roleOf(name)).prompt).sections;
}

test("[FOR-002] every definition but the orchestrator's is a role, and there is no other", async () => {
  const names = ["researcher", "spec", "designer", "planner", "implementer", "verifier", "adversarial-reviewer", "knowledge-agent"];
  expect(await roleNames("forge")).toEqual(names.toSorted());
});

describe.each(played)("the role %s", (name) => {
  test("has the tools of its definition, in the file that people read", async () => {
    const role = await roleOf(name);
    expect(role.tools).toEqual(FORGE_AGENTS[name].tools);
    expect(role.write_grant).toBe(FORGE_AGENTS[name].changesSources ? "patch" : "none");
    expect(role.output).toBe(ROLE_PAYLOADS[name].document);
    expect(role.description?.length).toBeGreaterThan(40);
  });

  test("is prompted in short, numbered steps", async () => {
    const { prompt } = await roleOf(name);
    expect(countTokens(prompt)).toBeLessThanOrEqual(MAX_TOKENS);
    const numbers = [...((await sections(name)).get("Workflow") ?? "").matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
    expect(numbers.length).toBeGreaterThan(2);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });

  test("[FOR-008] is told exactly the statuses that its answer may have", async () => {
    const told = [...((await sections(name)).get("Completion Contract") ?? "").matchAll(/^- ([A-Z_]+): \S/gm)].map(([, status]) => status);
    expect(told).toEqual(FORGE_AGENTS[name].statuses);
  });

  test("is shown one answer that its schema accepts, without what the harness fills in", async () => {
    const blocks = [...(await roleOf(name)).prompt.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = ""]) => text);
    expect(blocks).toHaveLength(1);
    expect(readYaml(blocks[0] ?? "", answerSchemaOf(name))).toMatchObject({ ok: true });
    expect(blocks[0]).not.toMatch(/agent_output|schema_version|started_at|run_id|output_paths|decided_by|confidence_definition/);
  });

  test("is shown no key that its schema would drop", async () => {
    const [, text = ""] = /```yaml\n(.*?)```/s.exec((await roleOf(name)).prompt) ?? [];
    const read = readYaml(text, answerSchemaOf(name));
    const kept = JSON.stringify(read.ok ? read.value : null);
    for (const [, key] of text.matchAll(/(?:^|[{,] ?|- )\s*([a-z_]+):(?= |$)/gm)) expect(kept).toContain(`"${key}":`);
  });
});
