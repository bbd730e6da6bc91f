import { expect, test } from "vitest";
import { z } from "zod";
import { parseAgents, type AgentsConfig } from "@slipway/kernel/config/agents";
import { invoke } from "./invoke.ts";
import { createPack } from "./pack.ts";
import { narrowedRole, parseRole } from "./role.ts";
import { withConfiguredPrompt } from "./system-prompt.ts";
import { PLANNER, refusalOf, scripted, tickingClock } from "./testing/samples.ts";

const FIELDS = "name: planner\ntier: strong\ntools: [read]\nwrite_grant: patch\noutput: PLAN\n";
const text = (fields = FIELDS, prompt = "You plan.\n\n---\nReally.\n") => `---\n${fields}---\n\n${prompt}`;

test("front matter and prompt are read, with either line end and as text or bytes", () => {
  const role = {
    name: "planner",
    tier: "strong",
    tools: ["read"],
    write_grant: "patch",
    output: "PLAN",
    prompt: "You plan.\n\n---\nReally.",
  };
  expect(parseRole("planner.md", text())).toEqual(role);
  expect(parseRole("planner.md", Buffer.from(`\ufeff${text()}`))).toEqual(role);
  expect(parseRole("planner.md", text().replaceAll("\n", "\r\n"))).toEqual({ ...role, prompt: role.prompt.replaceAll("\n", "\r\n") });
});

test.each([
  ["no front matter", "You plan.", ""],
  ["front matter that does not end", `---\n${FIELDS}`, ""],
  ["an empty prompt", text(FIELDS, " \n"), "prompt"],
  ["an unknown field", text(`${FIELDS}colour: red\n`), "/colour"],
  ["a missing field", text(FIELDS.replace("tier: strong\n", "")), "/tier"],
  ["an unknown tier", text(FIELDS.replace("strong", "huge")), "/tier"],
  ["an unknown grant", text(FIELDS.replace("patch", "everything")), "/write_grant"],
  ["a name that is a path", text(FIELDS.replace("name: planner", "name: ../planner")), "/name"],
  ["empty front matter", text(""), "/name"],
])("%s is refused with file and field", async (_, input, field) => {
  expect(await refusalOf(() => parseRole("roles/planner.md", input))).toMatchObject({
    code: "config_invalid",
    details: { file: "roles/planner.md", field },
  });
});

test("the line in an error is the line of the file", async () => {
  expect((await refusalOf(() => parseRole("planner.md", text(FIELDS.replace("strong", "huge"))))).details).toMatchObject({ line: 3 });
});

const builtin = parseRole("builtin/planner.md", text());
const override = (fields: string) => ({ file: "slipway/roles/features/planner.md", text: text(fields, "Ours.") });

test("a repository's own role replaces the built-in one", () => {
  expect(
    narrowedRole(builtin, override(FIELDS.replace("strong", "fast").replace("patch", "none").replace("[read]", "[web_search]"))),
  ).toMatchObject({
    tier: "fast",
    write_grant: "none",
    prompt: "Ours.",
  });
});

test.each([
  ["name", FIELDS.replace("planner", "builder")],
  ["output", FIELDS.replace("PLAN", "PATCH")],
  ["write_grant", FIELDS.replace("patch", "worktree")],
  ["tools", FIELDS.replace("[read]", "[read, write]")],
])("but it may not change %s to something else or more", async (field, fields) => {
  expect(await refusalOf(() => narrowedRole(builtin, override(fields)))).toMatchObject({
    code: "config_invalid",
    details: { file: "slipway/roles/features/planner.md", field },
  });
});

const agents = (behavior: "ignore" | "error", path = "slipway/prompts/planner.system.md") =>
  parseAgents(
    "slipway/agents.yaml",
    `version: 1\nroles: { planner: { system_prompt_path: ${path} } }\nmissing_prompt_behavior: ${behavior}\n`,
  );
const prompted = async (config: AgentsConfig | null, file: Uint8Array | null) => {
  const asked: string[] = [];
  const read = (path: string) => {
    asked.push(path);
    return Promise.resolve(file);
  };
  return { prompt: (await withConfiguredPrompt(PLANNER, config, read)).prompt, asked };
};

test("[FEA-055] a configured prompt is used unchanged; a missing one is ignored or an error; one outside is never read", async () => {
  const verbatim = "  Plan well.\n\n\t{{ nothing is filled in }} \n";
  expect(await prompted(agents("error"), Buffer.from(verbatim))).toEqual({
    prompt: verbatim,
    asked: ["slipway/prompts/planner.system.md"],
  });
  expect((await prompted(agents("ignore"), null)).prompt).toBe(PLANNER.prompt);
  expect(await refusalOf(() => prompted(agents("error"), null))).toMatchObject({
    code: "missing_role_prompt",
    details: { file: "slipway/prompts/planner.system.md" },
  });
  const provider = scripted('"done"');
  const role = await withConfiguredPrompt(PLANNER, agents("error"), () => Promise.resolve(Buffer.from(verbatim)));
  await invoke({
    role,
    subject: "x",
    attempt: "1",
    pack: createPack([]),
    instructions: "",
    schema: z.string(),
    provider,
    clock: tickingClock(),
  });
  expect(provider.asked[0]?.system).toBe(verbatim);
  const unconfigured = parseAgents(
    "slipway/agents.yaml",
    "version: 1\nroles: { qa: { system_prompt_path: x.md } }\nmissing_prompt_behavior: error\n",
  );
  expect(await prompted(unconfigured, null)).toEqual({ prompt: PLANNER.prompt, asked: [] });
  expect(await prompted(null, null)).toEqual({ prompt: PLANNER.prompt, asked: [] });
  for (const path of ["../planner.md", "/etc/passwd"])
    expect((await refusalOf(() => agents("ignore", path))).code).toBe("path_out_of_bounds");
});
