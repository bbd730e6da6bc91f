import fc from "fast-check";
import { expect, test } from "vitest";
import { exportRole, isExport, parseExport, TARGETS } from "./role-export.ts";
import type { Role } from "./role.ts";
import { PLANNER, refusalOf } from "./testing/samples.ts";

const BUILDER: Role = {
  name: "builder",
  description: 'Builds: one "planned" change',
  tier: "standard",
  tools: ["read", "ls", "glob", "grep", "write", "edit", "github/get_issue"],
  write_grant: "patch",
  output: "PATCH",
  prompt: "You build.\n\n---\nReally.",
};

test("a custom agent of GitHub Copilot", () => {
  expect(exportRole("copilot", "features", BUILDER)).toEqual({
    path: ".github/agents/builder.agent.md",
    text: `---
name: builder
description: "Builds: one \\"planned\\" change"
tools: ["read","search","edit","github/get_issue"]
# slipway export: {"protocol":"features","description":"Builds: one \\"planned\\" change","tier":"standard","tools":["read","ls","glob","grep","write","edit","github/get_issue"],"write_grant":"patch","output":"PATCH"}
---

You build.

---
Really.
`,
  });
});

test("a subagent of Claude Code, with a model by tier", () => {
  const { path, text } = exportRole("claude", "features", BUILDER);
  expect(path).toBe(".claude/agents/builder.md");
  expect(text).toContain("\ntools: Read, Glob, Grep, Write, Edit, github/get_issue\nmodel: sonnet\n");
  const planner = exportRole("claude", "features", PLANNER).text;
  expect(planner).toContain("\ntools: []\nmodel: opus\n");
  expect(planner).toContain(`\ndescription: "The planner of Slipway's protocol features."\n`);
  expect(exportRole("claude", "features", { ...PLANNER, tier: "fast" }).text).toContain("\nmodel: haiku\n");
});

test.each(TARGETS)("any role reads back unchanged from %s", (target) => {
  const line = fc.string({ minLength: 1 }).filter((text) => !/[\n\r]/.test(text) && text.isWellFormed());
  const roles = fc.record<Role>(
    {
      name: fc.stringMatching(/^[a-z][a-z0-9_-]{0,10}$/),
      description: line,
      tier: fc.constantFrom("fast", "standard", "strong"),
      tools: fc.array(fc.oneof(fc.constantFrom("read", "edit", "ls"), fc.stringMatching(/^[a-z/.*_]{1,10}$/))),
      write_grant: fc.constantFrom("none", "patch", "worktree"),
      output: line,
      prompt: fc
        .oneof(fc.string(), fc.constantFrom("---\nx", "\n---\n\n", "  spaces \n", "# slipway export: {}"))
        .filter((text) => text.isWellFormed()),
    },
    { requiredKeys: ["name", "tier", "tools", "write_grant", "output", "prompt"] },
  );
  fc.assert(
    fc.property(roles, (role) => {
      const { path, text } = exportRole(target, "features", role);
      expect(parseExport(path, text)).toEqual({ protocol: "features", role });
      expect(isExport(text)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test.each([
  ["no front matter", "You build.\n"],
  ["somebody else's", "---\nname: builder\ndescription: x\n---\n\nYou build.\n"],
  ["a comment that was edited", exportRole("claude", "features", BUILDER).text.replace('"tier":"standard"', '"tier":"huge"')],
  ["a comment that is no JSON", exportRole("claude", "features", BUILDER).text.replace('{"protocol"', "protocol")],
])("%s is not read as a role", async (_, text) => {
  expect(await refusalOf(() => parseExport("x.md", text))).toMatchObject({ code: "config_invalid", details: { file: "x.md" } });
});

test("a foreign file is distinguished from an exported one, even if its text mentions Slipway", () => {
  expect(isExport("---\nname: x\n---\n\n# slipway export: {}\n")).toBe(false);
  expect(isExport("# slipway export: {}\n")).toBe(false);
});
