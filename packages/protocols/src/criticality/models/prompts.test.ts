import { createPack } from "@slipway/agents/pack";
import { buildPrompt } from "@slipway/agents/prompt";
import { countTokens } from "gpt-tokenizer";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { protocolRole, roleNames } from "../../dispatch/roles.ts";
import { instructionsIn, repetitions } from "../../testing/repetition.ts";
import { PHASES } from "../routing/roles.ts";
import { SKILL_PROMPTS } from "./prompts.ts";
import { assertSkill, ROLE_OF_ALIAS, SKILLS, type PlayedAlias, type SkillName } from "./skills.ts";

const MAX_SYSTEM_TOKENS = 350;
const MAX_TASK_TOKENS = 400;

const skills = Object.keys(SKILLS) as SkillName[];
const aliases = Object.keys(ROLE_OF_ALIAS) as PlayedAlias[];
const uses = skills.flatMap((skill) => SKILLS[skill].aliases.map((alias) => [skill, alias] as const));
const roleOf = (alias: PlayedAlias) => protocolRole("criticality", ROLE_OF_ALIAS[alias], async () => null);

describe("[CRI-162] skills", () => {
  test("belong to a phase and its roles", () => {
    expect(Object.fromEntries(skills.map((skill) => [skill, [SKILLS[skill].phase, ...SKILLS[skill].aliases]]))).toMatchObject({
      conduct_interview: ["ignition", "architect_model"],
      synthesize_spec: ["ignition", "architect_model"],
      audit_proposal: ["ignition", "auditor_model"],
      generate_witness: ["lattice", "structurer_model"],
      scaffold_module: ["lattice", "structurer_model"],
      implement_atomic: ["injection", "worker_model", "structurer_model", "architect_model"],
      detect_smells: ["massDefect", "architect_model"],
      apply_pattern: ["massDefect", "worker_model", "architect_model"],
    });
  });

  test("are denied to every other role and in every other phase", () => {
    let denied = 0;
    for (const skill of skills)
      for (const phase of PHASES)
        for (const alias of aliases) {
          const { phase: own, aliases: allowed }: { readonly phase: string; readonly aliases: readonly PlayedAlias[] } = SKILLS[skill];
          if (own === phase && allowed.includes(alias)) {
            assertSkill(phase, skill, alias);
            continue;
          }
          expect(() => assertSkill(phase, skill, alias), `${skill} ${phase} ${alias}`).toThrow(
            expect.objectContaining({ code: "policy_violation" }),
          );
          denied++;
        }
    expect(denied).toBe(skills.length * PHASES.length * aliases.length - uses.length);
  });
});

describe("roles", () => {
  test("there is one file for each role, without tools and without a write grant", async () => {
    expect(await roleNames("criticality")).toEqual(Object.values(ROLE_OF_ALIAS).toSorted());
    for (const alias of aliases)
      expect(await roleOf(alias)).toMatchObject({
        name: ROLE_OF_ALIAS[alias],
        tools: [],
        write_grant: "none",
        description: expect.stringMatching(/.{20}/),
      });
  });
});

describe("prompts", () => {
  test.each(uses)("%s for %s is short and says nothing twice", async (skill, alias) => {
    const role = await roleOf(alias);
    const { system, text } = buildPrompt({
      role,
      subject: "x",
      pack: createPack([]),
      instructions: SKILL_PROMPTS[skill],
      schema: z.strictObject({ answer: z.string() }),
    });
    const [task = ""] = text.split(/(?<=JSON Schema:)\n/);
    expect(countTokens(system)).toBeLessThanOrEqual(MAX_SYSTEM_TOKENS);
    expect(countTokens(task)).toBeLessThanOrEqual(MAX_TASK_TOKENS);
    expect(repetitions([instructionsIn(system), instructionsIn(task)])).toEqual([]);
  });

  test.each(skills.filter((skill) => skill !== "implement_atomic"))("%s has steps in order and one worked example", (skill) => {
    const lines = SKILL_PROMPTS[skill].split("\n");
    const numbers = lines.flatMap((line) => /^(\d)\. /.exec(line)?.[1] ?? []);
    expect(numbers).toEqual(numbers.map((_, index) => String(index + 1)));
    expect(numbers.length).toBeGreaterThan(1);
    expect(lines.filter((line) => line.startsWith("Example"))).toHaveLength(1);
  });

  test("the worker is told to return a body that throws on a broken precondition, without imports, and nothing of other functions", () => {
    expect(SKILL_PROMPTS.implement_atomic).toBe(
      "Output the function body only.\nA call that breaks a REQUIRES clause must throw.\nUse no imports.",
    );
  });
});
