import { isAbsolute, relative, resolve, sep } from "node:path";

/** A path the agent names, relative to the pack; null when it leads out of it. Links are the file tree's and the sandbox's to refuse. */
export function packPath(folder: string, named: string): string | null {
  const path = relative(folder, resolve(folder, named));
  const outside = path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path) || named.includes("\0");
  return outside ? null : path;
}
