import { judgedPath, twinPath } from "./judged-path.ts";

/** The paths of one dispatch of a role, relative to the repository. Its tools are those of its definition. */
export interface RoleGrant {
  readonly role: string;
  readonly mayRead: (path: string) => boolean;
  readonly mayWrite: (path: string) => boolean;
  /** Its own declared output files, exactly. */
  readonly outputs: readonly string[];
  /** Files and folders that are closed in every spelling, whatever `mayRead` and `mayWrite` say. */
  readonly forbidden?: readonly string[];
}

export type AccessVerdict = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

const ALLOWED: AccessVerdict = { allowed: true };

export type Access = "read" | "write";

/** Judges one access. `twin` names the existing path that another spelling stands for. */
export function judgeAccess(grant: RoleGrant, access: Access, path: string, twin: (path: string) => string | null): AccessVerdict {
  const judged = judgedPath(path);
  if (!judged.ok) return refused(judged.reason);
  if (isForbidden(grant, judged.path)) return refused(`${judged.path} is closed to the ${grant.role}`);
  const other = twin(judged.path);
  if (other !== null) return refused(`${judged.path} is another spelling of ${other}`);
  if (grant.outputs.includes(judged.path)) return ALLOWED;
  // What may be written may be read: an edit shows the text it replaces.
  const may = grant.mayWrite(judged.path) || (access === "read" && grant.mayRead(judged.path));
  return may ? ALLOWED : refused(`${judged.path} may not be ${access === "read" ? "read" : "changed"} by the ${grant.role}`);
}

function isForbidden({ forbidden = [] }: RoleGrant, path: string): boolean {
  const twin = twinPath(path);
  return forbidden.some((closed) => twin === twinPath(closed) || twin.startsWith(`${twinPath(closed)}/`));
}

function refused(reason: string): AccessVerdict {
  return { allowed: false, reason };
}
