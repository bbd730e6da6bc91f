import type { DispatchedRole } from "../agents.ts";
import { definitionName } from "../contract/names.ts";
import type { DispatchInput } from "../contract/input.ts";
import type { Checklist, QualifiedItem } from "../checklists/qualify.ts";
import { sessionPath } from "../session/session-name.ts";
import { CONTRACT_TEXT, PRECEDENCE } from "./contract-text.ts";

export const PROJECT_INSTRUCTIONS = ".github/copilot-instructions.md";

export interface PromptData {
  readonly role: DispatchedRole;
  /** The text of the role's definition file. */
  readonly definition: string;
  readonly session: string;
  readonly input: DispatchInput;
  /** From status.json, read for this dispatch. */
  readonly hasProjectInstructions: boolean;
  /** Of Reviewer, QA and Security; null for the others. `items` are those of this dispatch. */
  readonly checklist: Pick<Checklist, "items" | "skipped" | "stress" | "projectType"> | null;
}

/** The whole prompt of a dispatch. Each has the same sections in the same order. */
export function renderPrompt(data: PromptData): string {
  const { role, definition, session, input, hasProjectInstructions, checklist } = data;
  return [
    `# Agent\nYou are ${role} (${definitionName(role)}).\n\n${definition.trim()}`,
    ...(checklist === null ? [] : [checklistText(role, checklist)]),
    `# Contract\n${CONTRACT_TEXT}`,
    ...(hasProjectInstructions
      ? [`# Project instructions\nRead ${PROJECT_INSTRUCTIONS} and follow it. ${PRECEDENCE} Note a conflict in artifacts.notes.`]
      : []),
    `# Session\n${sessionPath(session)}`,
    `# Input\n${JSON.stringify(input, null, 2)}`,
    `# First steps\n${firstSteps(role)}`,
  ].join("\n\n");
}

function checklistText(role: DispatchedRole, { items, skipped, stress, projectType }: NonNullable<PromptData["checklist"]>): string {
  const answer = role === "Reviewer" ? ["Answer each item with a note: `<item>: OK`, `<item>: issue <what>` or `<item>: N/A <why>`."] : [];
  return [
    "## Checklist",
    ...answer,
    ...(stress.length === 0 ? [] : [`Look first at: ${stress.join(", ")}.`]),
    ...items.map((item) => itemLine(item)),
    ...(skipped.length === 0 ? [] : [`Not for this project (${projectType}): ${skipped.map(({ id }) => id).join(", ")}.`]),
  ].join("\n");
}

function itemLine({ id, group, text }: QualifiedItem): string {
  return `- ${id} (${group}): ${text}`;
}

/** The role that changes the status of its task itself. */
const SETS_STATUS: readonly DispatchedRole[] = ["Coder"];

function firstSteps(role: DispatchedRole): string {
  const steps = [
    "Read every file in `task.context_files`, completely.",
    "Read your definition above again.",
    "Do the work, and nothing beyond it.",
    ...(SETS_STATUS.includes(role)
      ? [
          "Set the `status` of your task in tasks.yaml: `in-progress` when you begin, `implemented` when it is done, `blocked` if you cannot.",
        ]
      : []),
    "Return the JSON value of the contract, and nothing else.",
  ];
  return steps.map((step, index) => `${index + 1}. ${step}`).join("\n");
}
