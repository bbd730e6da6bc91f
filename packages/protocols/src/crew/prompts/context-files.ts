import type { DispatchedRole } from "../agents.ts";
import { problem } from "../contract/problems.ts";
import { inSession, sessionPath } from "../session/session-name.ts";

interface Required {
  readonly always: readonly string[];
  /** A folder, with its slash, stands for every file in it. */
  readonly ifPresent: readonly string[];
}

const row = (always: readonly string[], ifPresent: readonly string[] = []): Required => ({ always, ifPresent });

export const DESIGN_SPECS = "design-specs/";
const RESEARCH = "research/";

/** The session artifacts that each role gets. Every design-spec goes to those who build and check. */
export const CONTEXT_MATRIX: Readonly<Record<DispatchedRole, Required>> = {
  SpecAgent: row([]),
  Researcher: row(["spec.md"], ["acceptance.json", "architecture.md"]),
  Architect: row(["spec.md", "acceptance.json"], [RESEARCH]),
  Designer: row(["spec.md", "architecture.md", "acceptance.json"]),
  Planner: row(["spec.md", "acceptance.json", "architecture.md"], [DESIGN_SPECS, RESEARCH]),
  Coder: row(["spec.md", "tasks.yaml"], ["architecture.md", DESIGN_SPECS]),
  Reviewer: row(["spec.md", "tasks.yaml"], ["architecture.md", DESIGN_SPECS]),
  QA: row(["spec.md", "acceptance.json", "tasks.yaml"], [DESIGN_SPECS]),
  Security: row(["tasks.yaml"], ["architecture.md"]),
  Integrator: row(["tasks.yaml", "acceptance.json"]),
  Docs: row(["spec.md", "tasks.yaml", "acceptance.json"], ["architecture.md"]),
};

/** The complete `context_files` of a dispatch. `existing` are the names in the session. */
export function contextFiles(role: DispatchedRole, session: string, existing: readonly string[]): string[] {
  const { always, ifPresent } = CONTEXT_MATRIX[role];
  const present = ifPresent.flatMap((name) => existing.filter((each) => each === name || (name.endsWith("/") && each.startsWith(name))));
  return [...always, ...present.toSorted()].map((name) => `${sessionPath(session)}${name}`);
}

export interface ContextJudgement {
  /** The list itself is wrong: the dispatch is refused. */
  readonly problems: readonly string[];
  /** Listed files that do not exist: the result is BLOCKED. */
  readonly missing: readonly string[];
}

const ARTIFACT =
  /^(?:spec\.md|acceptance\.json|architecture\.md|tasks\.yaml|status\.json|report\.md|(?:adr|design-specs|research)\/[^/]+)$/;

export function judgeContext(
  role: DispatchedRole,
  listed: readonly string[],
  { session, existing }: { readonly session: string; readonly existing: readonly string[] },
): ContextJudgement {
  const required = contextFiles(role, session, existing);
  const lacking = required.filter((path) => !listed.includes(path));
  const specs = lacking.filter((path) => path.startsWith(`${sessionPath(session)}${DESIGN_SPECS}`));
  return {
    problems: [
      ...listed.flatMap((path) => entryProblem(path, session)),
      ...lacking.filter((path) => !specs.includes(path)).map((path) => `/task/context_files: ${role} needs ${path}`),
      ...specs.map((path) => `/task/context_files: workflow violation, ${role} does not get the design-spec ${path}`),
    ],
    missing: listed.filter((path) => {
      const name = inSession(session, path);
      return name !== null && ARTIFACT.test(name) && !existing.includes(name);
    }),
  };
}

function entryProblem(path: string, session: string): string[] {
  if (path.includes("<session>")) return [`/task/context_files: ${path} has the placeholder <session>; write the real name`];
  const name = inSession(session, path);
  return problem(
    name === null || !ARTIFACT.test(name),
    `/task/context_files: ${path} is no artifact of this session; each begins with ${sessionPath(session)}`,
  );
}
