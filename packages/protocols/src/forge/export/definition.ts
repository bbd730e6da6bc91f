import type { Role } from "@slipway/agents/role";
import { FORGE_AGENTS, type ForgeAgent, type ForgeRole } from "../agents.ts";
import { SCHEMAS } from "../schemas/table.ts";
import { sectionsOf } from "./prompt-sections.ts";

/** The sections of a definition, in their order. */
const DEFINITION_SECTIONS = [
  "Role & Purpose",
  "Input Schema",
  "Output Schema",
  "Workflow",
  "Completion Contract",
  "Operating Rules",
  "Self-Verification",
  "Tool Access",
  "Anti-Drift Anchor",
] as const;
type DefinitionSection = (typeof DEFINITION_SECTIONS)[number];

/** `schemasLink`: where the definition finds `schemas.md`, from its own folder. */
export function definitionOf(name: ForgeRole, role: Role, schemasLink: string): string {
  const agent: ForgeAgent = FORGE_AGENTS[name];
  const own = ownSections(role.prompt);
  const written: Readonly<Record<DefinitionSection, string>> = {
    "Role & Purpose": own["Role & Purpose"] ?? `The ${agent.title} of the pipeline.`,
    "Input Schema": inputSchema(name, agent, schemasLink),
    "Output Schema": outputSchema(name, agent, role.output, schemasLink, own.example),
    Workflow: own.Workflow ?? "1. Do what Role & Purpose says.\n2. Return the output.",
    "Completion Contract": own["Completion Contract"] ?? agent.statuses.map((status) => `- ${status}`).join("\n"),
    "Operating Rules": own["Operating Rules"] ?? "- Keep to the tools and outputs of this definition.",
    "Self-Verification": own["Self-Verification"] ?? "Check the output against its schema before you return it.",
    "Tool Access": `${role.tools.map((tool) => `\`${tool}\``).join(", ")}\n\nNo other tool is allowed. Slipway refuses any other call and records it.`,
    "Anti-Drift Anchor": own["Anti-Drift Anchor"] ?? `You are the ${agent.title}. You do its work and never that of another agent.`,
  };
  const sections = DEFINITION_SECTIONS.map((heading) => `## ${heading}\n\n${written[heading]}`);
  return [`# ${agent.title}\n\n${quoteBlock(agent)}`, ...sections].join("\n\n");
}

function quoteBlock({ steps, inputs, outputs }: ForgeAgent): string {
  return [
    "> **Type:** Agent definition  ",
    `> **Pipeline Step:** ${steps.join(", ")}  `,
    `> **Inputs:** ${inputs.join(", ")}  `,
    `> **Outputs:** ${outputs.length === 0 ? "none" : outputs.join(", ")}`,
  ].join("\n");
}

type OwnSections = Readonly<Partial<Record<DefinitionSection | "example", string>>>;

/** A prompt as the role's file has it, or as an earlier export wrote it. Sections of a person's own go to the rules. */
function ownSections(prompt: string): OwnSections {
  const { intro, sections } = sectionsOf(prompt);
  const names: readonly string[] = [...DEFINITION_SECTIONS, "Example"];
  const foreign = [...sections].filter(([heading]) => !names.includes(heading));
  const more = foreign.map(([heading, text]) => `### ${heading}\n\n${text}`);
  const rules = [sections.get("Operating Rules") ?? "", ...more].filter((text) => text !== "").join("\n\n");
  const example = sections.get("Example") ?? sectionsOf(sections.get("Output Schema") ?? "", "### ").sections.get("Example");
  const own = Object.fromEntries(DEFINITION_SECTIONS.flatMap((name) => (sections.has(name) ? [[name, sections.get(name)]] : [])));
  return {
    ...(intro === "" ? {} : { "Role & Purpose": intro }),
    ...own,
    ...(rules === "" ? {} : { "Operating Rules": rules }),
    ...(example === undefined ? {} : { example }),
  };
}

function inputSchema(name: ForgeRole, { inputs }: ForgeAgent, link: string): string {
  const read = SCHEMAS.filter(({ consumers }) => consumers.includes(name)).map((schema) => `\`${schema.name}\``);
  const list = inputs.map((input) => `- ${input}`).join("\n");
  return read.length === 0 ? list : `${list}\n\nTyped inputs follow ${read.join(", ")} in [schemas.md](${link}).`;
}

function outputSchema(name: ForgeRole, { outputs }: ForgeAgent, output: string, link: string, example: string | undefined): string {
  const list = outputs.length === 0 ? "No file: the orchestrator authors none." : outputs.map((path) => `- ${path}`).join("\n");
  const schemas = SCHEMAS.filter((schema) => schema.producer === name).map((schema) => schema.name);
  const names = [...new Set([...schemas, output, "completion-contract"])].map((schema) => `\`${schema}\``);
  const shown = example === undefined ? "" : `\n\n### Example\n\n${example}`;
  return `${list}\n\nThe form is that of ${names.join(", ")} in [schemas.md](${link}). Severity words are those of severity-taxonomy.md.${shown}`;
}
