import type { ForgeDocument } from "../schemas/documents.ts";
import type { DesignPayload } from "../schemas/design.ts";
import type { PlanPayload } from "../schemas/plan.ts";
import type { ResearchPayload } from "../schemas/research.ts";
import type { SpecPayload } from "../schemas/spec.ts";
import { DESIGN_FILE, PLAN_FILE, SPEC_FILE } from "../files.ts";

/** The Markdown companion of a typed output, from the same data. Nothing reads it but people. */
export function companionText(path: string, { completion, agent_output }: ForgeDocument<unknown>): string {
  const { payload } = agent_output;
  if (payload === null) return `# ${path}\n\n${completion.summary}\n`;
  const lines =
    path === SPEC_FILE
      ? featureLines(payload as SpecPayload)
      : path === DESIGN_FILE
        ? designLines(payload as DesignPayload)
        : path === PLAN_FILE
          ? planLines(payload as PlanPayload)
          : researchLines(payload as ResearchPayload);
  return `${lines.join("\n")}\n`;
}

function researchLines({ focus, summary, findings, open_questions }: ResearchPayload): string[] {
  return [
    `# Research: ${focus}`,
    "",
    summary,
    ...findings.flatMap(({ title, detail, files }) => [
      "",
      `## ${title}`,
      "",
      detail,
      ...(files.length === 0 ? [] : ["", `Files: ${files.join(", ")}`]),
    ]),
    ...section(
      "Open questions",
      open_questions.map((question) => `- ${question}`),
    ),
  ];
}

function featureLines({ summary, requirements, acceptance_criteria, pushback }: SpecPayload): string[] {
  return [
    "# Feature",
    "",
    summary,
    ...section(
      "Requirements",
      requirements.map(({ id, text }) => `- **${id}** ${text}`),
    ),
    ...section(
      "Acceptance criteria",
      acceptance_criteria.map(({ id, requirement, text }) => `- **${id}** (${requirement}) ${text}`),
    ),
    ...section(
      "Concerns",
      pushback.map(({ severity, concern }) => `- ${severity}: ${concern}`),
    ),
  ];
}

function designLines({ summary, decisions, components }: DesignPayload): string[] {
  return [
    "# Design",
    "",
    summary,
    ...section(
      "Components",
      components.map(
        ({ name, responsibility, files }) => `- **${name}**: ${responsibility}${files.length === 0 ? "" : ` (${files.join(", ")})`}`,
      ),
    ),
    ...decisions.flatMap(({ id, title, context, alternatives, selected, rationale, confidence, risk_classification }) => [
      "",
      `## ${id}: ${title} ${risk_classification}`,
      "",
      context,
      "",
      ...alternatives.map((one) => `- ${one.id === selected ? "**selected** " : ""}${one.label}: ${one.description}`),
      "",
      `${rationale} Confidence: ${confidence}.`,
    ]),
  ];
}

function planLines({ summary, tasks, waves, overall_risk_summary }: PlanPayload): string[] {
  return [
    `# Plan ${overall_risk_summary}`,
    "",
    summary,
    "",
    ...waves.map((ids, index) => `- Wave ${index + 1}: ${ids.join(", ")}`),
    ...tasks.flatMap(({ id, title, size, acceptance_criteria, relevant_context }) => [
      "",
      `## ${id}: ${title}`,
      "",
      `${size}; ${acceptance_criteria.join(", ")}`,
      "",
      ...relevant_context.files_to_modify.map(({ path, risk, operation }) => `- ${risk} ${operation} ${path}`),
    ]),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `## ${title}`, "", ...lines];
}
