import type { DispatchedRole } from "../agents.ts";
import { valueOf } from "../contract/problems.ts";
import type { CrewMode } from "../states/states.ts";
import { parseAcceptance } from "./acceptance.ts";
import {
  adrProblems,
  architectureProblems,
  designSpecProblems,
  fullArchitectureProblems,
  fullSpecProblems,
  researchProblems,
  specProblems,
} from "./documents.ts";
import { parseStatus } from "./status.ts";
import { planProblems } from "./task-edits.ts";
import { parseTasks } from "./tasks.ts";

/** The files of a session by their names in it. */
export type SessionFiles = Readonly<Record<string, string>>;

/** What a reader relies on, for each artifact that exists. Names the file and the failed rule. */
export function artifactProblems(name: string, text: string, mode: CrewMode): string[] {
  switch (name) {
    case "spec.md":
      return specProblems(text);
    case "acceptance.json":
      return problemsOf(parseAcceptance(text));
    case "architecture.md":
      return mode === "lean" ? [] : architectureProblems(text);
    case "tasks.yaml":
      return problemsOf(parseTasks(text, mode));
    case "status.json":
      return problemsOf(parseStatus(text)).map((problem) => `status.json: ${problem}`);
    default:
      return folderProblems(name, text);
  }
}

function folderProblems(name: string, text: string): string[] {
  if (name.startsWith("adr/")) return adrProblems(name, text);
  if (name.startsWith("research/")) return researchProblems(name, text);
  return name.startsWith("design-specs/") ? designSpecProblems(name, text) : [];
}

function problemsOf(read: { readonly ok: true } | { readonly ok: false; readonly problems: readonly string[] }): string[] {
  return read.ok ? [] : [...read.problems];
}

/** Everything in the session that is not as its readers need it, file by file. Used for every file that a dispatch lists. */
export function invalidArtifacts(names: readonly string[], files: SessionFiles, mode: CrewMode): string[] {
  return names.flatMap((name) => {
    const text = files[name];
    return text === undefined ? [] : artifactProblems(name, text, mode);
  });
}

/** What a role left in its session: stricter than what readers rely on. `before` holds the files as they were. */
export function producedProblems(role: DispatchedRole, mode: CrewMode, files: SessionFiles, before: SessionFiles = {}): string[] {
  switch (role) {
    case "SpecAgent":
      return specAgentProblems(mode, files);
    case "Architect":
      return [
        ...missing(files, ["architecture.md"]),
        ...withText(files["architecture.md"], fullArchitectureProblems),
        ...inFolder(files, "adr/"),
      ];
    case "Planner":
      return [...missing(files, ["tasks.yaml"]), ...withText(files["tasks.yaml"], (text) => plannedProblems(text, before["tasks.yaml"]))];
    case "Designer":
      return inFolder(files, "design-specs/");
    case "Researcher":
      return inFolder(files, "research/");
    default:
      return [];
  }
}

function specAgentProblems(mode: CrewMode, files: SessionFiles): string[] {
  const criteria = valueOf(parseAcceptance(files["acceptance.json"] ?? ""))?.map(({ id }) => id) ?? [];
  const names =
    mode === "lean" ? ["spec.md", "acceptance.json", "status.json", "tasks.yaml"] : ["spec.md", "acceptance.json", "status.json"];
  return [
    ...missing(files, names),
    ...withText(files["spec.md"], (text) => (mode === "lean" ? specProblems(text) : fullSpecProblems(text, criteria))),
    ...withText(files["acceptance.json"], (text) => problemsOf(parseAcceptance(text))),
    ...(mode === "lean" ? withText(files["tasks.yaml"], (text) => leanPlanProblems(text)) : []),
  ];
}

function leanPlanProblems(text: string): string[] {
  const read = parseTasks(text, "lean");
  return read.ok ? planProblems(read.value, null) : [...read.problems];
}

function plannedProblems(text: string, before: string | undefined): string[] {
  const read = parseTasks(text, "full");
  if (!read.ok) return [...read.problems];
  return planProblems(read.value, before === undefined ? null : valueOf(parseTasks(before, "full")));
}

function missing(files: SessionFiles, names: readonly string[]): string[] {
  return names.filter((name) => files[name] === undefined).map((name) => `${name}: missing`);
}

function withText(text: string | undefined, check: (text: string) => string[]): string[] {
  return text === undefined ? [] : check(text);
}

function inFolder(files: SessionFiles, folder: string): string[] {
  return Object.entries(files).flatMap(([name, text]) => (name.startsWith(folder) ? folderProblems(name, text) : []));
}
