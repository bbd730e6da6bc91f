import { CREW_AGENTS, CREW_ROLES, CREW_TOOLS } from "../agents.ts";
import { ROLE_ARTIFACTS } from "../contract/artifacts.ts";
import type { DispatchInput } from "../contract/input.ts";
import { DISPATCHED_ROLES, PROJECT_TYPES, RISK_FLAGS } from "../contract/names.ts";
import { statusesOf } from "../contract/output.ts";
import { DESIGNER_CASES, RESEARCHER_CASES } from "../prompts/role-triggers.ts";
import { SIGNAL_KINDS } from "../prompts/signals.ts";
import { PRECEDENCE } from "../prompts/contract-text.ts";

export const EXAMPLE_INPUT: DispatchInput = {
  task: {
    id: "T-001",
    title: "Locale in formatDate",
    goal: "Dates follow the user's locale.",
    non_goals: ["Time zones"],
    context_files: [".slipway/runs/2026-03-01_locale-dates/spec.md", ".slipway/runs/2026-03-01_locale-dates/tasks.yaml"],
    constraints: ["No new dependency"],
    acceptance_checks: ["cmd: npm test"],
    risk_flags: ["none"],
  },
  project_type: "web",
  repo_state: { branch: "main", ci_status: "unknown", last_failed_step: null },
  tools_available: [...CREW_TOOLS],
  artifact_list: ["spec.md", "tasks.yaml"],
};

/** The contract of all agents, as a file beside the exported definitions. */
export function contractReference(): string {
  return [
    "# Contract",
    "Every agent gets one JSON document and returns one JSON value, with no text around it.",
    `${PRECEDENCE} The project's instructions are in \`.github/copilot-instructions.md\`. Note a conflict in \`artifacts.notes\`.`,
    `## Names\n\n${CREW_ROLES.map((role) => `\`${role}\``).join(", ")}. Definitions are named ${CREW_ROLES.map((role) => `\`${CREW_AGENTS[role].file}\``).join(", ")}.`,
    `## Input\n\n\`\`\`json\n${JSON.stringify(EXAMPLE_INPUT, null, 2)}\n\`\`\`\n\n- \`task.id\` is \`meta\` or an id of \`tasks.yaml\`; \`acceptance_checks\` begin with \`cmd:\` or \`manual:\`; \`risk_flags\` are of ${listed(RISK_FLAGS)}.\n- \`project_type\` is one of ${listed(PROJECT_TYPES)}.\n- Reviewer also gets \`task.session_changed_files\`, with \`path\`, \`change_type\` (\`added\`, \`modified\`, \`deleted\`, \`renamed\`) and, when renamed, \`old_path\`. SpecAgent gets \`lean: true\` in lean mode, Researcher always a \`research_question\`.\n- Read every context file in full. One that is missing means BLOCKED with its path.`,
    OUTPUT,
    ["| agent | status | keys of `artifacts` of its own |", "| --- | --- | --- |", ...DISPATCHED_ROLES.map(rowOf)].join("\n"),
    SESSION,
    GRANTS,
  ].join("\n\n");
}

function listed(values: readonly string[]): string {
  return values.map((value) => `\`${value}\``).join(", ");
}

const COMMON = Object.keys(ROLE_ARTIFACTS.SpecAgent.shape);

function rowOf(role: (typeof DISPATCHED_ROLES)[number]): string {
  const own = Object.keys(ROLE_ARTIFACTS[role].shape).filter((key) => !COMMON.includes(key));
  return `| ${role} | ${statusesOf(role).join(", ")} | ${own.length === 0 ? "none" : listed(own)} |`;
}

const OUTPUT = `## Output

Exactly five keys: \`status\`, \`summary\` (1 to 3 sentences), \`artifacts\`, \`gates\`, \`next\`.

- Common keys of \`artifacts\`, each a list that may be left out: ${listed(COMMON)}. List every file you changed, and no other.
- \`gates\`: \`meets_definition_of_done\`, \`needs_review\`, \`needs_tests\` (true or false), \`security_concerns\` (list). OK without \`meets_definition_of_done\` does not pass; \`needs_tests\` brings QA, \`security_concerns\` bring Security.
- \`next\`: \`recommended_agent\`, \`recommended_task_id\` (\`meta\`, \`same\` or an id), \`reason\`. It is recorded and decides nothing.
- BLOCKED names a concrete blocker. A high or critical finding, a blocker comment, a broken specification or missing key tests are never OK.
- A note \`signal: <kind>: <text>\` asks for a decision or another agent. Kinds: ${SIGNAL_KINDS.join(", ")}. The text of designer-needed begins with ${DESIGNER_CASES.yes.join(", ")}, that of research-needed with ${RESEARCHER_CASES.yes.join(", ")}.`;

const SESSION = `## Session folder

\`.slipway/runs/YYYY-MM-DD_<short-slug>/\` with \`spec.md\`, \`acceptance.json\`, \`tasks.yaml\`, \`status.json\`, \`report.md\` at the end, and where they apply \`architecture.md\` (full mode only), \`adr/\`, \`design-specs/\`, \`research/\`, \`approve-design-history.jsonl\`. Folders of other sessions are read, never written.

- \`spec.md\` has Goals, Acceptance Criteria and Definition of Done. \`acceptance.json\` has \`acceptance_criteria\` with \`id\`, \`description\`, \`verify\`. \`architecture.md\` has Overview and Modules.
- \`tasks.yaml\` alone holds the status of tasks: \`not-started\`, \`in-progress\` and \`implemented\` (Coder), \`completed\` (Orchestrator only), \`blocked\`.
- \`status.json\` holds the session: state, assumptions, decisions, retries, known issues, last CI result. Agents change only \`assumptions\` and \`known_issues\`.
- An invalid artifact stops the agent that would read it, with BLOCKED and the broken rule.`;

const GRANTS = `## Who writes what

| agent | session folder | repository |
| --- | --- | --- |
| SpecAgent | spec.md, acceptance.json, first status.json, lean tasks.yaml | nothing |
| Architect | architecture.md, adr/ | nothing |
| Planner | tasks.yaml | nothing |
| Designer | design-specs/ | nothing |
| Researcher | research/ | nothing |
| Coder | status of its task | files of its task |
| Reviewer, Security | nothing | nothing |
| QA | nothing | test files |
| Integrator | nothing | build, configuration, script and release files, in INTEGRATE, FIX_BUILD and RELEASE |
| Docs | report.md; spec.md and architecture.md in RELEASE | README.md, changelog, release notes |
| Orchestrator | status.json, statuses in tasks.yaml, approve-design-history.jsonl, inline design-specs, lean report.md | nothing |`;
