import { parseRole, type Role } from "@slipway/agents/role";
import type { ExportedFile, Target } from "@slipway/agents/role-export";
import { readFile } from "node:fs/promises";
import { agentFile, referenceFile } from "../../forge/export/export-file.ts";
import type { ProtocolExport } from "../../protocol.ts";
import { CREW_AGENTS, CREW_ROLES, type CrewRole } from "../agents.ts";
import { contractReference } from "./contract-reference.ts";
import { CREW_TOOL_NAMES, LEADER_TOOLS } from "./tool-names.ts";
import { workflowReference } from "./workflow-reference.ts";

const CREW = "crew";
/** Below `src` in an installation, too. */
const ORCHESTRATOR = new URL("../../../src/crew/export/orchestrator.md", import.meta.url);

/** The references are beside the agents' folder: every file in it counts as an agent. */
const FOLDERS: Readonly<Record<Target, string>> = { copilot: ".github/crew", claude: ".claude/crew" };

/** They lead by the workflow, or work through one of its checklists. */
const WITH_WORKFLOW: readonly CrewRole[] = ["Orchestrator", "Reviewer", "QA", "Security"];

/** The twelve definitions and the two documents that all of them follow. */
export function exportCrew(target: Target, roles: readonly Role[]): ExportedFile[] {
  const folder = FOLDERS[target];
  const agents = CREW_ROLES.flatMap((name) =>
    roles.filter((role) => role.name === CREW_AGENTS[name].file).map((role) => agentOf(target, name, role)),
  );
  return [
    ...agents,
    referenceFile(CREW, `${folder}/contract.md`, contractReference()),
    referenceFile(CREW, `${folder}/workflow.md`, workflowReference()),
  ];
}

function agentOf(target: Target, name: CrewRole, role: Role): ExportedFile {
  const definition = { ...role, prompt: definitionOf(target, name, role) };
  if (name !== "Orchestrator") return agentFile(target, CREW, definition, CREW_TOOL_NAMES);
  const agents = CREW_ROLES.filter((each) => each !== name).map((each) => CREW_AGENTS[each].file);
  return agentFile(target, CREW, definition, CREW_TOOL_NAMES, target === "copilot" ? { agents } : {}, LEADER_TOOLS);
}

/** A definition that was read back has the head already. */
function definitionOf(target: Target, name: CrewRole, { prompt, tools }: Role): string {
  const title = `# ${name}`;
  if (prompt.startsWith(`${title}\n`)) return prompt;
  const listed = tools.map((tool) => `\`${tool}\``).join(", ");
  const folder = FOLDERS[target];
  const reads = WITH_WORKFLOW.includes(name) ? `\`${folder}/contract.md\` and \`${folder}/workflow.md\`` : `\`${folder}/contract.md\``;
  return `${title}\n\n> **Contract:** read ${reads} first.  \n> **Tools:** ${listed}\n\n${prompt}`;
}

export async function crewOrchestrator(): Promise<Role> {
  return parseRole("orchestrator.md", await readFile(ORCHESTRATOR));
}

/** For `ProtocolEntry.exports`: the dispatched roles, and the orchestrator that is code in a run. */
export async function crewExport(target: Target, roles: readonly Role[]): Promise<ProtocolExport> {
  return { root: "", files: exportCrew(target, [...roles, await crewOrchestrator()]) };
}
