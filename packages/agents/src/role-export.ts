import { SlipwayError } from "./errors.ts";
import { parseStrictJson } from "@slipway/kernel/schema/json";
import { checkSchema } from "@slipway/kernel/schema/violations";
import { parseYamlConfig } from "@slipway/kernel/config/yaml";
import { z } from "zod";
import { roleFields, type Role } from "./role.ts";

export const TARGETS = ["copilot", "claude"] as const;
export type Target = (typeof TARGETS)[number];

export interface ExportedFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

type Tier = Role["tier"];

interface Dialect {
  readonly path: (name: string) => string;
  /** The target's names of our tools. Other names belong to the target or to an MCP server, and stay. */
  readonly tools: Readonly<Record<string, string>>;
  readonly listed: (tools: readonly string[]) => string;
  readonly model: ((tier: Tier) => string) | null;
}

const DIALECTS: Readonly<Record<Target, Dialect>> = {
  copilot: {
    path: (name) => `.github/agents/${name}.agent.md`,
    tools: { read: "read", ls: "search", glob: "search", grep: "search", write: "edit", edit: "edit" },
    listed: (tools) => JSON.stringify(tools),
    // The available models depend on the user's plan.
    model: null,
  },
  claude: {
    path: (name) => `.claude/agents/${name}.md`,
    tools: { read: "Read", ls: "Glob", glob: "Glob", grep: "Grep", write: "Write", edit: "Edit" },
    listed: (tools) => (tools.length === 0 ? "[]" : plainOrQuoted(tools.join(", "))),
    model: (tier) => ({ fast: "haiku", standard: "sonnet", strong: "opus" })[tier],
  },
};

function plainOrQuoted(text: string): string {
  return /^[A-Za-z][A-Za-z0-9_/, -]*$/.test(text) ? text : JSON.stringify(text);
}

/** A role as another tool reads it. A comment in the front matter contains the whole role, so that the file can be read back. */
export function exportRole(target: Target, protocol: string, role: Role): ExportedFile {
  const { path, tools, listed, model } = DIALECTS[target];
  const { name, description, prompt, ...rest } = role;
  const theirs = [...new Set(role.tools.map((tool) => tools[tool] ?? tool))];
  const fields = [
    `name: ${name}`,
    `description: ${JSON.stringify(description ?? `The ${name} of Slipway's protocol ${protocol}.`)}`,
    `tools: ${listed(theirs)}`,
    ...(model === null ? [] : [`model: ${model(role.tier)}`]),
    `${MARK}${JSON.stringify({ protocol, ...(description === undefined ? {} : { description }), ...rest })}`,
  ];
  return { path: path(name), text: `---\n${fields.join("\n")}\n---\n\n${prompt}\n` };
}

const MARK = "# slipway export: ";

const shownFields = z.looseObject({ name: z.string() });
const ownFields = roleFields.omit({ name: true }).extend({ protocol: z.string() });

export function isExport(text: string): boolean {
  return text.split("\n---\n", 1)[0]?.includes(`\n${MARK}`) === true;
}

/** Reads an exported role back. */
export function parseExport(file: string, text: string): { readonly protocol: string; readonly role: Role } {
  const match = /^---\n(.*?)\n---\n\n(.*)\n$/s.exec(text);
  const [, fields = "", prompt = ""] = match ?? [];
  const mark = fields.split("\n").find((line) => line.startsWith(MARK));
  if (match === null || mark === undefined) throw notOurs(file, "it has no front matter written by Slipway");
  const json = parseStrictJson(mark.slice(MARK.length));
  const checked = json.ok ? checkSchema(ownFields, json.value) : null;
  if (checked === null || !checked.ok) throw notOurs(file, "its comment was not written by Slipway");
  const { name } = parseYamlConfig(file, `${fields}\n`, shownFields);
  const { protocol, ...own } = checked.value;
  return { protocol, role: { ...own, name, prompt } };
}

function notOurs(file: string, why: string): SlipwayError {
  return new SlipwayError("config_invalid", `${file} is not an exported role: ${why}.`, {
    file,
    suggested_next_actions: ["Export it again with `slipway export`."],
  });
}
