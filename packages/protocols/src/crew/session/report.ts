import { findSection, section, sectionProblems } from "./sections.ts";
import type { CrewStatus } from "./status.ts";
import { titleOf, type CrewTask } from "./tasks.ts";

const KNOWN_ISSUES = section("Known issues", /\bknown issues?\b/i);
const REPORT = [
  section("What was done", /\bwhat was done\b/i),
  section("How to run", /\bhow to run\b/i),
  section("How to test", /\bhow to test\b/i),
  KNOWN_ISSUES,
];

/** Every known issue of the session stands in the report. */
export function reportProblems(text: string, knownIssues: readonly string[]): string[] {
  const body = onOneLine(findSection(text, KNOWN_ISSUES)?.body ?? "");
  const missing = knownIssues.filter((issue) => !body.includes(onOneLine(issue)));
  return [
    ...sectionProblems("report.md", text, REPORT),
    ...missing.map((issue) => `report.md: the known issue ${JSON.stringify(issue)} is missing`),
  ];
}

function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

export interface LeanReportData {
  readonly status: CrewStatus;
  readonly task: CrewTask;
  /** Coder's `patch_summary`. */
  readonly changes: readonly string[];
  readonly runCommands: readonly string[];
  readonly testCommands: readonly string[];
  readonly manualSteps: readonly string[];
}

/** `report.md` of a lean session, from its records alone. */
export function leanReport({ status, task, changes, runCommands, testCommands, manualSteps }: LeanReportData): string {
  const list = (entries: readonly string[], none: string) =>
    entries.length === 0 ? [none] : entries.map((entry) => `- ${onOneLine(entry)}`);
  const code = (commands: readonly string[]) => commands.map((command) => `\`${onOneLine(command)}\``);
  return [
    `# Report: ${onOneLine(titleOf(task))}`,
    "",
    "## What was done",
    "",
    onOneLine(task.goal),
    "",
    ...list(changes, "No file is recorded as changed."),
    "",
    "## How to run",
    "",
    ...list(code(runCommands), "Nothing has to be started."),
    "",
    "## How to test",
    "",
    ...list([...code(testCommands), ...manualSteps], "No command is recorded."),
    "",
    "## Known issues",
    "",
    ...list(status.known_issues, "None."),
    "",
  ].join("\n");
}
