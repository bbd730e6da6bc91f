import type { PackRule } from "@slipway/kernel/host/file-views/rules";
import { canonicalPath } from "@slipway/kernel/paths/paths";
import { CONFIGURATION, PROJECTIONS, twinsOf } from "./judged-path.ts";
import { judgeAccess, type RoleGrant } from "./role-grant.ts";

/**
 * The grant as rules of a context pack: one for each of these files, which exist or may be created, and for each own output. Files in
 * `folders` that are not listed may be created; what the grant says of those is checked afterwards by `refusalsIn`.
 */
export function packRulesOf(grant: RoleGrant, files: readonly string[], folders: readonly string[] = []): PackRule[] {
  const twin = twinsOf(files);
  const listed = [...new Set([...files, ...grant.outputs])].filter((path) => {
    // No pack contains any other path.
    const canonical = canonicalPath(path);
    return canonical.ok && canonical.path === path;
  });
  return [
    ...folders.map((path): PackRule => ({ path, level: "FULL", permission: "write", reason: `the ${grant.role} may create files here` })),
    ...[CONFIGURATION, PROJECTIONS, ...(grant.forbidden ?? [])].map((path): PackRule => ({
      path,
      level: null,
      sealed: false,
      reason: "not part of the work",
    })),
    ...listed.map((path) => ruleFor(grant, path, twin)),
  ];
}

function ruleFor(grant: RoleGrant, path: string, twin: (path: string) => string | null): PackRule {
  const may = (access: "read" | "write") => judgeAccess(grant, access, path, twin).allowed;
  if (may("write")) return { path, level: "FULL", permission: "write", reason: `the ${grant.role} may change it` };
  if (may("read")) return { path, level: "FULL", permission: "read", reason: `the ${grant.role} may read it` };
  // A rule of its own, because a file that may be created can be a folder above it.
  return { path, level: null, sealed: false, reason: `the ${grant.role} does not see it` };
}
