import { nativeToolsOf } from "@slipway/agents/tools/native-tools";
import { judgedPath, twinPath, twinsOf } from "./judged-path.ts";

/** What one dispatch of a role may do. Paths are relative to the repository. */
export interface RoleGrant {
  readonly role: string;
  /** By the names that the role's definition uses. */
  readonly tools: readonly string[];
  readonly mayRead: (path: string) => boolean;
  readonly mayWrite: (path: string) => boolean;
  /** Its own declared output files, exactly. It may write them even without a tool that writes. */
  readonly outputs: readonly string[];
  /** Files and folders that are closed in every spelling, whatever `mayRead` and `mayWrite` say. */
  readonly forbidden?: readonly string[];
}

export interface RoleCall {
  readonly tool: string;
  readonly path?: string | undefined;
}

export type CallVerdict = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

const ALLOWED: CallVerdict = { allowed: true };

export type Access = "read" | "write";

/**
 * Judges a call before it has any effect. `known` are the paths that exist: a path that a file system may take for one of them is refused
 * unless it is spelled like it.
 */
export function judgeCall(grant: RoleGrant, { tool, path }: RoleCall, known: readonly string[] = []): CallVerdict {
  const native = nativeToolsOf([tool]);
  const writes = native.includes("write") || native.includes("edit");
  if (!grant.tools.includes(tool) && !(writes && path !== undefined && isOutput(grant, path))) {
    return refused(`the ${grant.role} has no tool ${tool}`);
  }
  if (path === undefined) return ALLOWED;
  return judgeAccess(grant, writes || native.includes("delete") ? "write" : "read", path, twinsOf(known));
}

/** Judges one access. `twin` names the existing path that another spelling stands for. */
export function judgeAccess(grant: RoleGrant, access: Access, path: string, twin: (path: string) => string | null): CallVerdict {
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

function isOutput({ outputs }: RoleGrant, path: string): boolean {
  const judged = judgedPath(path);
  return judged.ok && outputs.includes(judged.path);
}

function isForbidden({ forbidden = [] }: RoleGrant, path: string): boolean {
  const twin = twinPath(path);
  return forbidden.some((closed) => twin === twinPath(closed) || twin.startsWith(`${twinPath(closed)}/`));
}

function refused(reason: string): CallVerdict {
  return { allowed: false, reason };
}
