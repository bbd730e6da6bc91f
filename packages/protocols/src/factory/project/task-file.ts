import type { TaskDetails } from "./task-details.ts";

/** What a task may know about a dependency: its contract, never its source. */
export interface DependencyContract {
  /** A shipped module (`MM-...@1.0.0`), or the task that will ship it. */
  readonly ref: string;
  readonly summary: string;
  /** The module's examples.md; null before it ships. */
  readonly examples: string | null;
}

/** The only file the engineering loop gets. */
export function taskFile(sheet: TaskDetails, dependencies: readonly DependencyContract[]): string {
  const { contract } = sheet;
  const sections: [string, readonly string[]][] = [
    ["## Context", [context("Pillar", sheet.pillar), context("Epic", sheet.epic), context("Story", sheet.story)]],
    ["## Description", [block(sheet.description)]],
    ["## Subtasks", sheet.subtasks.map((text, index) => `${index + 1}. ${item(text)}`)],
    ["## Acceptance Criteria", sheet.acceptance_criteria.map(bullet)],
    [
      "## Micro Module Contract",
      [
        `- **Inputs:** ${line(contract.inputs)}`,
        `- **Outputs:** ${line(contract.outputs)}`,
        `- **Error surfaces:** ${line(contract.error_surfaces)}`,
        `- **Effects:** ${line(contract.effects)}`,
        `- **Modes:** ${line(contract.modes)}`,
      ],
    ],
    ["## Dependency Contracts", dependencyLines(dependencies)],
    ["## Error Cases", sheet.error_cases.map(bullet)],
    ...amendmentHistory(sheet),
  ];
  const body = sections.map(([heading, lines]) => `${heading}\n${lines.join("\n")}\n`).join("\n");
  return `# Task: ${line(sheet.name)}\n## Task ID: ${sheet.task_id}\n\n${body}`;
}

/** Before a dependency ships there is only the sketch in the spec. */
export function sketchedDependency({ task_id, name, contract }: TaskDetails): DependencyContract {
  const { inputs, outputs, error_surfaces, effects, modes } = contract;
  const summary = `${name}, not shipped yet; sketched as: inputs: ${inputs}; outputs: ${outputs}; errors: ${error_surfaces}; effects: ${effects}; modes: ${modes}`;
  return { ref: task_id, summary, examples: null };
}

function dependencyLines(dependencies: readonly DependencyContract[]): string[] {
  if (dependencies.length === 0) return ["None: this task depends on no other module."];
  return [
    "Upstream modules, by their contracts only (CONTRACT_ONLY, no source code):",
    ...dependencies.map(({ ref, summary, examples }) => `- ${ref}: ${line(summary)}${examples === null ? "" : `\n${quoted(examples)}`}`),
  ];
}

function amendmentHistory({ amendments }: TaskDetails): [string, string[]][] {
  if (amendments.length === 0) return [];
  const lines = amendments.flatMap(({ at, rationale, replaced }) => [
    `- ${at}: ${line(rationale)} The criteria before:`,
    ...replaced.map((criterion) => `  ${bullet(criterion)}`),
  ]);
  return [["## Amendment History", lines]];
}

function context(level: string, { name, description }: { readonly name: string; readonly description: string }): string {
  return `- **${level}:** ${line(name)} — ${line(description)}`;
}

const bullet = (text: string) => `- ${item(text)}`;

// Texts come from models: none may start or end a section of the file.
function line(text: string): string {
  const whole = text.toWellFormed();
  return /[^\S ]|  /.test(whole) ? whole.replaceAll(/\s+/g, " ").trim() : whole.trim();
}

function item(text: string): string {
  return line(text).replace(/^(#|`{3}|~{3}|<)/, "\\$1");
}

function block(text: string): string {
  return text
    .toWellFormed()
    .trim()
    .split(/\r\n|\r|\n|\u2028|\u2029/)
    .map((row) => row.replace(/^(\s*)(#|`{3}|~{3}|<|=+\s*$|-+\s*$)/, "$1\\$2").replace(/^(?: {4,}|\t)/, "  "))
    .join("\n");
}

/** Fenced with more backticks than the text contains, and indented below its list item. */
function quoted(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  const rows = text
    .toWellFormed()
    .trim()
    .split(/\r\n|\r|\n/);
  return [`${fence}markdown`, ...rows, fence].map((row) => (row === "" ? "" : `  ${row}`)).join("\n");
}
