import type { PackRule } from "@slipway/kernel/host/file-views/rules";
import type { Access, RoleGrant } from "../../firewall/role-grant.ts";
import { sessionPath } from "../session/session-name.ts";

/** Paths of the session that a role may create although nothing is there yet. */
const CREATED_FILES = ["spec.md", "acceptance.json", "status.json", "architecture.md", "tasks.yaml", "report.md"];
/** Folders of it in which names are free, each with one such name. */
const CREATED_FOLDERS: Readonly<Record<string, string>> = {
  adr: "ADR-001.md",
  "design-specs": "design-spec-any.md",
  research: "research-any.md",
};
const DOCUMENTS = ["README.md", "CHANGELOG.md", "RELEASE_NOTES.md"];

/** A path of each kind that a role might write, to find out whether it writes new files in the repository at all. */
const PROBES = ["src/a.ts", "test/a.test.ts", "package.json"];

/** A role that writes only documents knows their names. */
export function unlistedShare(grant: RoleGrant): Access {
  return PROBES.some((path) => grant.mayWrite(path)) ? "write" : "read";
}

/** The files that the role may create by name. */
export function creatableFiles(grant: RoleGrant, folder: string): string[] {
  return [...DOCUMENTS, ...CREATED_FILES.map((name) => `${sessionPath(folder)}${name}`)].filter((path) => grant.mayWrite(path));
}

/** The folders of the session in which the role may create files. */
export function creatableFolders(grant: RoleGrant, folder: string): PackRule[] {
  const own = sessionPath(folder);
  return Object.entries(CREATED_FOLDERS)
    .filter(([name, example]) => grant.mayWrite(`${own}${name}/${example}`))
    .map(([name]) => ({ path: `${own}${name}`, level: "FULL", permission: "write", reason: `the ${grant.role} may create files here` }));
}
