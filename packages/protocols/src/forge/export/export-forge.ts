import { parseRole, type Role } from "@slipway/agents/role";
import type { ExportedFile, Target } from "@slipway/agents/role-export";
import { readFile } from "node:fs/promises";
import { FORGE_AGENTS, type ForgeRole } from "../agents.ts";
import type { ProtocolExport } from "../../protocol.ts";
import { definitionOf } from "./definition.ts";
import { agentFile, hiddenAgent, referenceFile } from "./export-file.ts";
import { readme } from "./readme.ts";
import { schemasReference } from "./schemas-reference.ts";
import { FORGE_TOOL_NAMES } from "./tool-names.ts";
import { dispatchPatterns, severityTaxonomy } from "./topic-references.ts";
import { WORKFLOW_FIELDS, WORKFLOW_PROMPT } from "./workflow-prompt.ts";

const FORGE = "forge";
/** A repository has a README.md and often a .github of its own: the whole export stays beside them. */
const COPILOT_ROOT = "slipway-forge";
/** Below `src` in an installation, too. */
const ORCHESTRATOR = new URL("../../../src/forge/export/orchestrator.md", import.meta.url);

const TOPICS = [
  ["schemas", "Reference, not an agent: the typed documents of the pipeline.", schemasReference],
  ["dispatch-patterns", "Reference, not an agent: how the orchestrator starts agents.", dispatchPatterns],
  ["severity-taxonomy", "Reference, not an agent: the four severity words.", severityTaxonomy],
] as const;

/** All nine definitions with what they refer to, from the root of the export. */
export function exportForge(target: Target, roles: readonly Role[]): ExportedFile[] {
  const names = (Object.keys(FORGE_AGENTS) as ForgeRole[]).filter((name) => roles.some((role) => role.name === name));
  const agents = names.flatMap((name) => roles.filter((role) => role.name === name).map((role) => agentOf(target, name, role)));
  const topics = TOPICS.map(([topic, description, text]) =>
    target === "copilot"
      ? referenceFile(FORGE, `.github/agents/${topic}.md`, text(), hiddenAgent(topic, description))
      : referenceFile(FORGE, `.claude/forge/${topic}.md`, text()),
  );
  return target === "copilot" ? [...agents, ...topics, ...entryFiles()] : [...agents, ...topics];
}

function agentOf(target: Target, name: ForgeRole, role: Role): ExportedFile {
  const schemas = target === "copilot" ? "schemas.md" : "../forge/schemas.md";
  const prompt = definitionOf(name, role, schemas);
  const others = Object.keys(FORGE_AGENTS).filter((other) => other !== "orchestrator");
  const more = target === "copilot" && name === "orchestrator" ? { agents: others } : {};
  return agentFile(target, FORGE, { ...role, prompt }, FORGE_TOOL_NAMES, more);
}

function entryFiles(): ExportedFile[] {
  return [
    referenceFile(FORGE, ".github/prompts/feature-workflow.prompt.md", WORKFLOW_PROMPT, WORKFLOW_FIELDS),
    referenceFile(FORGE, "README.md", readme()),
  ];
}

export async function forgeOrchestrator(): Promise<Role> {
  return parseRole("orchestrator.md", await readFile(ORCHESTRATOR));
}

/** For `ProtocolEntry.exports`: the roles a model plays, and the orchestrator that is code in a run. */
export async function forgeExport(target: Target, roles: readonly Role[]): Promise<ProtocolExport> {
  const files = exportForge(target, [await forgeOrchestrator(), ...roles]);
  return { root: target === "copilot" ? COPILOT_ROOT : "", files };
}
