import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import { hasCode } from "./file-system.ts";

/** Why a file or folder of the user's own cannot be relied on, and what to do about it. */
export interface Unreliable {
  readonly reason: string;
  readonly next: string;
}

/** For files outside every repository that decide something, such as a key: nobody else may own, read or replace them. */
export async function whyNotOwn(path: string, mode: number): Promise<Unreliable | null> {
  const stats = await lstat(path);
  const permissions = stats.mode & 0o777;
  if (stats.isSymbolicLink()) return { reason: "It is a symbolic link.", next: "Replace the link with the file itself." };
  const user = process.geteuid?.();
  if (user !== undefined && stats.uid !== user) {
    const reason = `It belongs to user ${stats.uid}, and Slipway runs as user ${user}.`;
    return { reason, next: `Run Slipway as its owner, or set HOME to your own home folder (with sudo: \`sudo -H\`).` };
  }
  if ((permissions & ~mode) === 0) return null;
  return { reason: `Others may read it (mode ${permissions.toString(8)}).`, next: `Run: chmod ${mode.toString(8)} ${path}` };
}

/** A repository could bring a file of its own at such a path. */
export async function whyInside(path: string, repositoryRoot: string): Promise<Unreliable | null> {
  const inside = relative(await realpath(repositoryRoot), await realOfNearest(path));
  if (inside.startsWith("..") || isAbsolute(inside)) return null;
  return {
    reason: "It would be inside the repository, where agents work.",
    next: "Set XDG_CONFIG_HOME to a folder outside the repository.",
  };
}

/** The path with links resolved, as far as it exists. */
async function realOfNearest(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT") || dirname(path) === path) throw error;
    return join(await realOfNearest(dirname(path)), basename(path));
  }
}
