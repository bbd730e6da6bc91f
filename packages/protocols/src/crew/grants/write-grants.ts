import { canonicalPath } from "@slipway/kernel/paths/paths";
import type { RoleGrant } from "../../firewall/role-grant.ts";
import type { CrewRole } from "../agents.ts";
import { HISTORY_FILE } from "../decisions/history.ts";
import { ADR_NAME, DESIGN_SPEC_NAME, RESEARCH_NAME } from "../session/artifact-names.ts";
import { inSession } from "../session/session-name.ts";
import type { CrewMode, CrewState } from "../states/states.ts";
import { isBuildFile, isDocsFile, isTestFile } from "./file-kinds.ts";

export const RUN_LOG = "run-log.jsonl";

export interface GrantContext {
  readonly session: string;
  readonly state: CrewState;
  readonly mode: CrewMode;
}

type Allows = (name: string, context: GrantContext) => boolean;

const never: Allows = () => false;
const names =
  (...known: readonly string[]): Allows =>
  (name) =>
    known.includes(name);
const matching =
  (pattern: RegExp): Allows =>
  (name) =>
    pattern.test(name);
const either =
  (...all: readonly Allows[]): Allows =>
  (name, context) =>
    all.some((allows) => allows(name, context));
const during =
  (states: readonly CrewState[], allows: Allows): Allows =>
  (name, context) =>
    states.includes(context.state) && allows(name, context);
const leanOnly =
  (allows: Allows): Allows =>
  (name, context) =>
    context.mode === "lean" && allows(name, context);

/** Agents may add to two lists of it; what else they change is discarded. */
const STATUS = names("status.json");

/** Files of the repository outside `.slipway`. */
const REPOSITORY: Partial<Readonly<Record<CrewRole, Allows>>> = {
  Coder: during(["IMPLEMENT_LOOP", "FIX_REVIEW", "FIX_TESTS", "FIX_SECURITY", "FIX_BUILD"], () => true),
  Integrator: during(["INTEGRATE", "FIX_BUILD", "RELEASE"], isBuildFile),
  QA: isTestFile,
  Docs: isDocsFile,
};

/** Files of the own session, by their names in it. */
const SESSION: Readonly<Record<CrewRole, Allows>> = {
  SpecAgent: either(STATUS, names("spec.md", "acceptance.json"), leanOnly(names("tasks.yaml"))),
  Architect: either(STATUS, names("architecture.md"), matching(ADR_NAME)),
  Planner: either(STATUS, names("tasks.yaml")),
  Designer: either(STATUS, matching(DESIGN_SPEC_NAME)),
  Researcher: either(STATUS, matching(RESEARCH_NAME)),
  Coder: either(STATUS, names("tasks.yaml")),
  Reviewer: never,
  QA: STATUS,
  Security: never,
  Integrator: STATUS,
  Docs: either(STATUS, names("report.md"), during(["RELEASE"], names("spec.md", "architecture.md"))),
  Orchestrator: either(names("status.json", "tasks.yaml", HISTORY_FILE, RUN_LOG), matching(DESIGN_SPEC_NAME), leanOnly(names("report.md"))),
};

const HARNESS_FOLDERS = [".slipway", "slipway", ".git"];

/** Its first folder as a forgiving file system would open it. */
function topFolder(path: string): string {
  const [first = ""] = path.split("/");
  return first
    .normalize("NFKC")
    .replaceAll(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
}

/** Whether the role (the orchestrator: code) may write a path in this state. A path in another spelling than the canonical one is refused. */
export function mayWrite(role: CrewRole, path: string, context: GrantContext): boolean {
  const canonical = canonicalPath(path);
  if (!canonical.ok || canonical.path !== path) return false;
  const name = inSession(context.session, path);
  if (name !== null) return SESSION[role](name, context);
  return !HARNESS_FOLDERS.includes(topFolder(path)) && REPOSITORY[role]?.(path, context) === true;
}

/** Everything but git's own folder; earlier sessions too. */
export function mayRead(path: string): boolean {
  const canonical = canonicalPath(path);
  return canonical.ok && canonical.path === path && topFolder(path) !== ".git";
}

export function grantOf(role: CrewRole, context: GrantContext): RoleGrant {
  return { role, outputs: [], mayRead, mayWrite: (path) => mayWrite(role, path, context) };
}
