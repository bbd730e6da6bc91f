import { lstat, realpath } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import { isBelow } from "./arguments.ts";

/**
 * The real place of a path that must stay below the worktree. What does not exist yet is judged by its nearest
 * existing ancestor, so a link on the way out is found before anything is made there.
 */
export async function resolveBelow(worktree: string, path: string, field: string): Promise<string> {
  const target = resolve(worktree, path);
  if (path.includes("\0") || !isBelow(worktree, target)) throw outOfBounds(worktree, path, field);
  const existing = await nearestExisting(target);
  // A link that leads nowhere, or in a circle, has no real path.
  const real = await realpath(existing).catch(() => null);
  if (real === null || !isBelow(worktree, real)) throw outOfBounds(worktree, path, field);
  return resolve(real, relative(existing, target));
}

/** As `resolveBelow`, and no part of the way may be a symbolic link. */
export async function resolveWithoutLinks(worktree: string, path: string, field: string): Promise<string> {
  const target = resolve(worktree, path);
  if (path.includes("\0") || target === worktree || !isBelow(worktree, target)) throw outOfBounds(worktree, path, field);
  let current = worktree;
  for (const part of relative(worktree, dirname(target)).split(sep)) {
    current = resolve(current, part);
    if ((await kindAt(current)) === "link") throw outOfBounds(worktree, path, field);
  }
  return target;
}

export type PathKind = "missing" | "link" | "folder" | "file" | "other";

/** What cannot be looked at counts as missing. */
export async function kindAt(path: string): Promise<PathKind> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return "missing";
  if (found.isSymbolicLink()) return "link";
  if (found.isDirectory()) return "folder";
  return found.isFile() ? "file" : "other";
}

async function nearestExisting(path: string): Promise<string> {
  let current = path;
  while ((await kindAt(current)) === "missing") current = dirname(current);
  return current;
}

export function outOfBounds(worktree: string, path: string, field: string): SlipwayError {
  return new SlipwayError("path_out_of_bounds", `${field} "${path}" leads out of the worktree ${worktree}, directly or through a link.`, {
    field,
    path,
    worktree,
    suggested_next_actions: [`Give ${field} as a path below the worktree that passes through no link to elsewhere.`],
  });
}
