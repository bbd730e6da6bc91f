import { lstatSync, realpathSync, type Stats } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { isBelow } from "./arguments.ts";

/**
 * The real path of a path that must stay below the worktree. A path that does not exist yet is judged by its nearest
 * existing ancestor, so a link out of the worktree is found before anything is created.
 */
export function resolveBelow(worktree: string, path: string, field: string): string {
  const target = resolve(worktree, path);
  if (path.includes("\0") || !isBelow(worktree, target)) throw outOfBounds(worktree, path, field);
  const existing = nearestExisting(target);
  const real = realPathOrNull(existing);
  if (real === null || !isBelow(worktree, real)) throw outOfBounds(worktree, path, field);
  return resolve(real, relative(existing, target));
}

/** Like `resolveBelow`, and no component may be a symbolic link. */
export function resolveWithoutLinks(worktree: string, path: string, field: string): string {
  const target = resolve(worktree, path);
  if (path.includes("\0") || target === worktree || !isBelow(worktree, target)) throw outOfBounds(worktree, path, field);
  let current = worktree;
  for (const part of relative(worktree, dirname(target)).split(sep)) {
    current = resolve(current, part);
    if (kindAt(current) === "link") throw outOfBounds(worktree, path, field);
  }
  return target;
}

export type PathKind = "missing" | "link" | "folder" | "file" | "other";

/** A path that cannot be read counts as missing. */
export function kindAt(path: string): PathKind {
  const found = lookAt(path);
  if (found === null) return "missing";
  if (found.isSymbolicLink()) return "link";
  if (found.isDirectory()) return "folder";
  return found.isFile() ? "file" : "other";
}

function nearestExisting(path: string): string {
  let current = path;
  while (kindAt(current) === "missing") current = dirname(current);
  return current;
}

function lookAt(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

/** Null for a missing path, or a dangling or circular link. */
export function realPathOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

export function outOfBounds(worktree: string, path: string, field: string): SlipwayError {
  return new SlipwayError("path_out_of_bounds", `${field} "${path}" leads out of the worktree ${worktree}, directly or through a link.`, {
    field,
    path,
    worktree,
    suggested_next_actions: [`Give ${field} as a path below the worktree without a link that leads out of it.`],
  });
}
