import type { PackRule } from "@slipway/kernel/host/file-views/rules";
import { CONFIGURATION, PROJECTIONS } from "../../firewall/judged-path.ts";
import type { CrewGrant } from "../grants/write-grants.ts";
import { sessionPath } from "../session/session-name.ts";

const rule = (path: string, permission: "read" | "write", reason: string): PackRule => ({ path, level: "FULL", permission, reason });

/** Paths of files that a role may create although nothing is there yet; a folder stands for everything in it. */
const CREATED_IN_SESSION = [
  "spec.md",
  "acceptance.json",
  "status.json",
  "architecture.md",
  "adr",
  "tasks.yaml",
  "design-specs",
  "research",
  "report.md",
];
const CREATED_NAMES: Readonly<Record<string, string>> = {
  adr: "adr/ADR-001.md",
  "design-specs": "design-specs/design-spec-any.md",
  research: "research/research-any.md",
};
const DOCUMENTS = ["README.md", "CHANGELOG.md", "RELEASE_NOTES.md"];

/** A path of each kind that a role might write, to find out whether it writes in the repository at all, and whether everywhere. */
const PROBES = ["src/a.ts", "test/a.test.ts", "package.json", "README.md"];

export interface WritableFiles {
  readonly grant: CrewGrant;
  /** Of the repository, without Slipway's own. */
  readonly files: readonly string[];
  /** Names of the session's files. */
  readonly session: readonly string[];
  /** Below `.slipway/runs`. */
  readonly folder: string;
}

/**
 * The grant as rules for the agent's files. Where only some kinds of files may change, a folder without any of them is closed as a whole,
 * and new files may be created elsewhere; the grant judges each of them again afterwards.
 */
export function rulesOf({ grant, files, session, folder }: WritableFiles): PackRule[] {
  const own = sessionPath(folder);
  const probes = PROBES.filter((path) => grant.mayWrite(path));
  return [
    ...repositoryRules(grant, files, probes),
    { path: CONFIGURATION, level: null, sealed: false, reason: "Slipway's configuration is not part of the work" },
    { path: PROJECTIONS, level: null, sealed: false, reason: "other sessions are not part of the work" },
    ...session.map((name) => rule(`${own}${name}`, "read", "the session")),
    ...CREATED_IN_SESSION.filter((name) => grant.mayWrite(`${own}${CREATED_NAMES[name] ?? name}`)).map((name) =>
      rule(`${own}${name}`, "write", `${grant.role} writes it`),
    ),
  ];
}

function repositoryRules(grant: CrewGrant, files: readonly string[], probes: readonly string[]): PackRule[] {
  const reason = `${grant.role} may change it`;
  if (probes.length === PROBES.length) return [rule(".", "write", reason)];
  const everything = rule(".", "read", "the files of this change");
  if (probes.length === 0) return [everything];
  if (probes.every((path) => DOCUMENTS.includes(path))) {
    const known = [...new Set([...DOCUMENTS, ...files])].filter((path) => grant.mayWrite(path));
    return [everything, ...known.map((path) => rule(path, "write", reason))];
  }
  return [rule(".", "write", reason), ...closedIn("", files, grant)];
}

/** Rules that close every file and folder which the grant does not name. */
function closedIn(folder: string, files: readonly string[], grant: CrewGrant): PackRule[] {
  const names = Map.groupBy(files, (path) => path.slice(folder.length).split("/", 1)[0] ?? "");
  return [...names].flatMap(([name, inside]) => {
    const path = `${folder}${name}`;
    if (inside.every((file) => !grant.mayWrite(file))) return [rule(path, "read", "not among the files of the role")];
    return inside.includes(path) ? [] : closedIn(`${path}/`, inside, grant);
  });
}
