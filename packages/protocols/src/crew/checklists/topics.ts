import { isDataFile, isEndpointFile, isInterfaceFile } from "../grants/file-kinds.ts";
import type { ProjectType } from "../contract/names.ts";

/** What an item of a checklist is about, where that decides whether it applies. */
export type Topic =
  "any" | "csrf" | "xss" | "template-xss" | "form-csrf" | "tenancy" | "template" | "ui" | "routing" | "ssrf" | "csp" | "path-traversal";

export type ChecklistRole = "Reviewer" | "QA" | "Security";

type PlainType = Exclude<ProjectType, "mixed">;

const NO_PAGES: readonly Topic[] = ["csrf", "form-csrf", "xss", "template-xss", "tenancy", "template", "ui"];

/** Topics that do not apply. An API has no pages: form CSRF and template XSS go, other CSRF and XSS items stay. */
const SKIPPED: Readonly<Record<PlainType, readonly Topic[]>> = {
  web: [],
  api: ["template", "ui", "form-csrf", "template-xss"],
  cli: NO_PAGES,
  lib: [...NO_PAGES, "path-traversal"],
};

/** What one role skips in addition. */
const SKIPPED_BY: Partial<Readonly<Record<ChecklistRole, Partial<Readonly<Record<PlainType, readonly Topic[]>>>>>> = {
  Reviewer: { cli: ["routing"], lib: ["routing"] },
  Security: { api: ["csp"], cli: ["ssrf", "csp"], lib: ["ssrf", "csp"] },
};

/** What the role looks at first. */
const STRESSED: Readonly<Record<PlainType, readonly string[]>> = {
  web: [],
  api: ["auth", "input validation", "rate limiting"],
  cli: ["input validation", "privilege escalation", "secrets"],
  lib: ["API safety", "input validation", "dependency hygiene"],
};

const STRESSED_BY_QA: Partial<Readonly<Record<PlainType, readonly string[]>>> = {
  cli: ["argument parsing", "exit codes", "error messages"],
  lib: ["API contract", "edge cases"],
};

export function applies(topic: Topic, role: ChecklistRole, type: PlainType): boolean {
  return !SKIPPED[type].includes(topic) && SKIPPED_BY[role]?.[type]?.includes(topic) !== true;
}

const COMMAND_LINE = /(?:^|\/)(?:bin|cli|cmd|commands?)\//;

/** In a mixed project, the type of project that a file belongs to. */
export function typeOfFile(path: string): PlainType {
  if (isInterfaceFile(path)) return "web";
  if (COMMAND_LINE.test(path)) return "cli";
  return isEndpointFile(path) || isDataFile(path) ? "api" : "lib";
}

/** The types whose rules apply to a review of `files`. A mixed project without any known file is taken for everything at once. */
export function typesOf(type: ProjectType, files: readonly string[]): readonly PlainType[] {
  if (type !== "mixed") return [type];
  return files.length === 0 ? ["web", "cli"] : [...new Set(files.map(typeOfFile))];
}

export function stressOf(role: ChecklistRole, type: ProjectType, files: readonly string[]): string[] {
  return [...new Set(typesOf(type, files).flatMap((each) => [...STRESSED[each], ...(role === "QA" ? (STRESSED_BY_QA[each] ?? []) : [])]))];
}
