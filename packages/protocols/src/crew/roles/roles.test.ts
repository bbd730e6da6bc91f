import { countTokens } from "gpt-tokenizer";
import { describe, expect, test } from "vitest";
import { protocolRole, roleNames } from "../../dispatch/roles.ts";
import { CREW_AGENTS, type DispatchedRole } from "../agents.ts";
import { ROLE_ARTIFACTS } from "../contract/artifacts.ts";
import type { OutputFacts } from "../contract/facts.ts";
import { DISPATCHED_ROLES } from "../contract/names.ts";
import { outputProblems } from "../contract/output-problems.ts";
import { outputSchemaOf, readOutput } from "../contract/output.ts";
import { DESIGNER_CASES, designerTrigger, RESEARCHER_CASES } from "../prompts/role-triggers.ts";
import { SIGNAL_KINDS } from "../prompts/signals.ts";

/** With its example: a prompt that needs more describes two roles. */
const MAX_TOKENS = 700;

const roleOf = (name: DispatchedRole) => protocolRole("crew", CREW_AGENTS[name].file, async () => null);

async function exampleOf(name: DispatchedRole): Promise<unknown> {
  const blocks = [...(await roleOf(name)).prompt.matchAll(/```json\n(.*?)```/gs)].map(([, text = ""]) => text);
  expect(blocks).toHaveLength(1);
  return JSON.parse(blocks[0] ?? "");
}

/** A dispatch that went as the examples tell it. */
const FACTS: OutputFacts = {
  taskId: "T-001",
  taskType: "feat",
  taskStatus: "implemented",
  filesExpected: ["src/format.js", "test/format.test.js"],
  unreadContext: [],
  designSpecs: [],
  secretsIn: [],
  criteria: ["AC-001", "AC-002", "AC-003"],
  execution: { passed: 7, failed: 0, skipped: 0, output: "tests 7\npass 7\nfail 0" },
  behaviourChanged: true,
  changedTests: ["test/format.test.js"],
  failedSteps: ["npm run build"],
  checklist: null,
  sessionPath: ".slipway/runs/2026-03-01_locale-dates/",
};

test("[CRW-004] the eleven dispatched roles have definition files by their kebab-case names, and there is no other", async () => {
  const names = [
    "spec-agent",
    "architect",
    "planner",
    "designer",
    "researcher",
    "coder",
    "reviewer",
    "qa",
    "security",
    "integrator",
    "docs",
  ];
  expect(await roleNames("crew")).toEqual(names.toSorted());
});

describe.each(DISPATCHED_ROLES)("the role %s", (name) => {
  test("has the tools of its dispatches, and a write grant only with a tool that writes", async () => {
    const role = await roleOf(name);
    expect(role.tools).toEqual(CREW_AGENTS[name].tools);
    expect(role.write_grant).toBe(role.tools.includes("write_file") ? "patch" : "none");
    expect(role.description?.length).toBeGreaterThan(40);
  });

  test("is prompted in short, numbered steps", async () => {
    const { prompt } = await roleOf(name);
    expect(countTokens(prompt)).toBeLessThanOrEqual(MAX_TOKENS);
    const [, steps = ""] = /## Steps\n(.*?)\n## /s.exec(prompt) ?? [];
    const numbers = [...steps.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
    expect(numbers.length).toBeGreaterThan(2);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });

  test("is told the signals, that `same` is a task id, and when to stay in its role", async () => {
    const { prompt } = await roleOf(name);
    for (const kind of SIGNAL_KINDS) expect(prompt).toContain(kind);
    expect(prompt).toContain("`signal: <kind>: <text>`");
    expect(prompt).toContain("`recommended_task_id` may be `same`");
    expect(prompt).toMatch(new RegExp(`## Anti-Drift Anchor\n\nYou are ${name}\\. .*\\bnever\\b`));
  });

  test("[CRW-017] is told the artifact keys that are its own, and none of another role", async () => {
    const { prompt } = await roleOf(name);
    const common = Object.keys(ROLE_ARTIFACTS.SpecAgent.shape);
    const keysOf = (role: DispatchedRole) => Object.keys(ROLE_ARTIFACTS[role].shape).filter((key) => !common.includes(key));
    for (const key of keysOf(name)) expect(prompt).toContain(`\`${key}\``);
    const others = DISPATCHED_ROLES.flatMap(keysOf).filter((key) => !keysOf(name).includes(key));
    for (const key of others) expect(prompt).not.toMatch(new RegExp(`["\`]${key}["\`]`));
    if (keysOf(name).length === 0) expect(prompt).toMatch(/Own artifact keys(?: besides)?: none\./);
  });

  test("is shown one JSON value that its schema and the checks of its output accept", async () => {
    const read = readOutput(name, "T-001", await exampleOf(name));
    expect(read).toMatchObject({ ok: true });
    if (read.ok) expect(outputProblems(name, read.value, FACTS)).toEqual([]);
    expect(outputSchemaOf(name, "T-001").safeParse({ ...((await exampleOf(name)) as object), note: "x" }).success).toBe(false);
  });
});

test("[CRW-015] only Researcher is told of NEEDS_INFO, and only Security of NEEDS_DECISION", async () => {
  for (const [status, owner] of [
    ["NEEDS_INFO", "Researcher"],
    ["NEEDS_DECISION", "Security"],
  ] as const) {
    const told: string[] = [];
    for (const name of DISPATCHED_ROLES) if ((await roleOf(name)).prompt.includes(status)) told.push(name);
    expect(told).toEqual([owner]);
  }
});

test("[CRW-086] SpecAgent and Architect are told by which cases a Designer runs, SpecAgent also those of Researcher, and its example has one", async () => {
  const { prompt } = await roleOf("SpecAgent");
  for (const known of [...DESIGNER_CASES.yes, ...RESEARCHER_CASES.yes]) expect(prompt).toContain(known);
  const architect = (await roleOf("Architect")).prompt;
  for (const known of DESIGNER_CASES.yes) expect(architect).toContain(known);
  const read = readOutput("SpecAgent", "meta", await exampleOf("SpecAgent"));
  expect(designerTrigger(read.ok ? read.value.artifacts.notes : [])).toMatchObject({ runs: true });
});
